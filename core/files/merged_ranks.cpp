#include "core/files/merged_ranks.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace ts::files {
namespace {

using trace_file::Event;
using trace_file::TraceFile;

// Numbers that are unique within a rank stay apart from those of the others.
constexpr std::int64_t kNumbersOfRank = std::int64_t{1} << 40;

std::int64_t number_of(std::int64_t number, std::size_t index) {
  if (number == trace_file::kNoNumber) return number;
  return number % kNumbersOfRank + static_cast<std::int64_t>(index) * kNumbersOfRank;
}

class Merger {
 public:
  explicit Merger(const std::vector<TraceFile>& ranks) : ranks_(ranks) {}

  TraceFile take() {
    for (const TraceFile& one : ranks_) {
      if (one.events.empty()) continue;
      const std::int64_t begin = one.base_time_ns + one.events.front().begin_ns;
      begin_ns_ = merged_.base_time_ns == 0 ? begin : std::min(begin_ns_, begin);
      merged_.base_time_ns = begin_ns_;
    }
    for (std::size_t i = 0; i < ranks_.size(); ++i) add(i);
    std::ranges::stable_sort(merged_.events, {}, [](const Event& event) {
      return std::pair(event.begin_ns, -event.duration_ns);
    });
    return std::move(merged_);
  }

 private:
  void add(std::size_t index) {
    const TraceFile& rank = ranks_[index];
    const std::string name =
        "rank " + std::to_string(rank.rank >= 0 ? rank.rank : static_cast<std::int64_t>(index));
    const std::int64_t shift = rank.base_time_ns - begin_ns_;
    const auto first_track = static_cast<std::uint32_t>(merged_.tracks.size());
    const auto first_launch = static_cast<std::uint32_t>(merged_.launches.size());
    // Readers want numbers for processes.
    constexpr std::size_t kProcessesOfRank = 100;
    std::map<std::string, std::size_t> processes;
    std::map<std::int32_t, std::int32_t> devices;
    const auto renumber = [&](std::int32_t& number) {
      if (number < 0) return;
      const auto [device, fresh] = devices.try_emplace(number, devices_);
      if (fresh) ++devices_;
      number = device->second;
    };
    for (trace_file::Track track : rank.tracks) {
      renumber(track.device);
      const std::size_t process =
          processes.try_emplace(track.process, processes.size()).first->second;
      track.process = std::to_string(index * kProcessesOfRank + process);
      track.process_name = name;
      track.thread_name =
          name + ": " + (track.thread_name.empty() ? track.thread : track.thread_name);
      merged_.tracks.push_back(std::move(track));
    }
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
      event.external = number_of(event.external, index);
      event.correlation = number_of(event.correlation, index);
      if (event.launch != trace_file::kNoLaunch) event.launch += first_launch;
      merged_.events.push_back(event);
    }
    for (trace_file::FlowEnd end : rank.flows) {
      end.id = number_of(end.id, index);
      end.time_ns += shift;
      end.track += first_track;
      merged_.flows.push_back(end);
    }
    for (trace_file::MemoryEvent event : rank.memory) {
      event.time_ns += shift;
      event.track += first_track;
      renumber(event.device);
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
  TraceFile merged_;
  std::int64_t begin_ns_ = 0;
  std::int32_t devices_ = 0;           // of the ranks so far
  std::vector<base::StringId> texts_;  // by the id in the rank's table
};

}  // namespace

TraceFile merge_ranks(const std::vector<TraceFile>& ranks) {
  return Merger(ranks).take();
}

}  // namespace ts::files
