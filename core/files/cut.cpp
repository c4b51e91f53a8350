#include "core/files/cut.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/allocator/log_of_snapshot.h"
#include "core/allocator/range_keeper.h"
#include "core/blocks/allocator_history.h"
#include "core/blocks/block_source.h"

namespace ts::files {
namespace {

using allocator::Snapshot;
using allocator::SnapshotSegment;
using allocator::TraceEntry;
using Place = base::FileRange::Place;

constexpr std::int64_t kMicrosecond = 1000;
// Larger times of a file are cut, so that differences are numbers.
constexpr std::int64_t kMostMicroseconds = std::int64_t{1} << 52U;

std::int64_t limited_us(std::int64_t time_us) {
  return std::clamp(time_us, -kMostMicroseconds, kMostMicroseconds);
}

// Leaves in the trace what the range needs. Returns how many of the events are in it and before it.
base::RangeEvents reduce(allocator::Trace& trace, const snapshot::TraceStart& start,
                         const base::FileRange& range) {
  allocator::RangeKeeper<TraceEntry, allocator::Trace> keeper;
  allocator::Trace kept;
  std::optional<std::size_t> end;
  std::size_t inside = 0;
  const std::int64_t first = start.time_us.value_or(trace.empty() ? 0 : trace.front().time_us);
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const std::int64_t since = (limited_us(trace[i].time_us) - limited_us(first)) * kMicrosecond;
    const Place place = range.place_of(i + start.left_out, since);
    keeper.take(place, trace[i].action, trace[i].address, trace[i], kept);
    if (place == Place::inside) ++inside;
    if (place == Place::after && !end) end = kept.size();
  }
  keeper.finish(kept);
  trace = std::move(kept);
  return {inside, end.value_or(trace.size()) - inside};
}

// Takes the segments of a device back to the state after so many of its events; the rest goes.
void rewind(Snapshot& snapshot, std::size_t device, std::size_t events) {
  const allocator::SnapshotLog log = allocator::log_of_snapshot(snapshot, device);
  blocks::AllocatorHistory history(blocks::source_of(snapshot, device, log));
  history.move_to(events);
  std::vector<SnapshotSegment> segments = history.segments();
  std::erase_if(snapshot.segments, [device](const SnapshotSegment& one) {
    return one.device == static_cast<std::int64_t>(device);
  });
  for (SnapshotSegment& one : segments) snapshot.segments.push_back(std::move(one));
  snapshot.device_traces[device].resize(events);
}

}  // namespace

void cut(snapshot::SnapshotFile& file, const base::FileRange& range) {
  if (range.is_all()) return;
  auto& traces = file.snapshot.device_traces;
  file.starts.resize(traces.size());
  for (std::size_t device = 0; device < traces.size(); ++device) {
    const base::RangeEvents events = reduce(traces[device], file.starts[device], range);
    file.in_range.push_back(events);
    const std::size_t end = events.before + events.inside;
    if (end < traces[device].size()) rewind(file.snapshot, device, end);
  }
  file.starts.clear();
}

}  // namespace ts::files
