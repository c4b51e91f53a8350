#include "core/files/merged_ranks.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "core/trace_file/rank_numbers.h"

namespace ts::files {
namespace {

using trace_file::Event;
using trace_file::RankNumbers;
using trace_file::TraceFile;

class Merger {
 public:
  explicit Merger(const std::vector<TraceFile>& ranks) : ranks_(ranks), numbers_(ranks) {}

  TraceFile take() {
    merged_.base_time_ns = numbers_.base_time_ns();
    for (std::size_t i = 0; i < ranks_.size(); ++i) add(i);
    std::ranges::stable_sort(merged_.events, {}, [](const Event& event) {
      return std::pair(event.begin_ns, -event.duration_ns);
    });
    return std::move(merged_);
  }

 private:
  void add(std::size_t index) {
    const TraceFile& rank = ranks_[index];
    const std::int64_t shift = numbers_.shift_ns(index);
    const auto first_track = static_cast<std::uint32_t>(merged_.tracks.size());
    const auto first_launch = static_cast<std::uint32_t>(merged_.launches.size());
    const std::vector<trace_file::Track>& tracks = numbers_.tracks(index);
    merged_.tracks.insert(merged_.tracks.end(), tracks.begin(), tracks.end());
    merged_.event_count += rank.event_count;
    merged_.devices.insert(merged_.devices.end(), rank.devices.begin(), rank.devices.end());
    merged_.launches.insert(merged_.launches.end(), rank.launches.begin(), rank.launches.end());
    texts_.assign(rank.strings->size(), base::kNoString);
    for (Event event : rank.events) {
      event.begin_ns += shift;
      event.track += first_track;
      event.name = text(rank, event.name);
      event.module = text(rank, event.module);
      event.dims = text(rank, event.dims);
      event.types = text(rank, event.types);
      event.external = RankNumbers::id(index, event.external);
      event.correlation = RankNumbers::id(index, event.correlation);
      if (event.launch != trace_file::kNoLaunch) event.launch += first_launch;
      merged_.events.push_back(event);
    }
    for (trace_file::FlowEnd end : rank.flows) {
      end.id = RankNumbers::id(index, end.id);
      end.time_ns += shift;
      end.track += first_track;
      merged_.flows.push_back(end);
    }
    for (trace_file::MemoryEvent event : rank.memory) {
      event.time_ns += shift;
      event.track += first_track;
      event.device = numbers_.device(index, event.device);
      merged_.memory.push_back(event);
    }
  }

  base::StringId text(const TraceFile& rank, base::StringId id) {
    if (id == base::kNoString) return id;
    base::StringId& known = texts_[id];
    if (known == base::kNoString) known = merged_.strings->intern(rank.strings->view(id));
    return known;
  }

  const std::vector<TraceFile>& ranks_;
  RankNumbers numbers_;
  TraceFile merged_;
  std::vector<base::StringId> texts_;  // by the id in the rank's table
};

}  // namespace

TraceFile merge_ranks(const std::vector<TraceFile>& ranks) {
  return Merger(ranks).take();
}

}  // namespace ts::files
