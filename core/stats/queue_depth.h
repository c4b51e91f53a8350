#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/trace/trace_store.h"

namespace ts::stats {

// Work that waited on a device: its launch call returned before it began.
struct Waited {
  std::int64_t made_ns = 0;
  std::int64_t begin_ns = 0;
};
// For a slice of a GPU stream; unset when its launch is not known or it began at once. Of the
// kernels of a graph only the first has a launch.
std::optional<Waited> waited(const trace::TraceStore& trace, trace::SliceRef ref);

// The number of launches that were made but not yet started, from a time on to the next point.
struct QueuePoint {
  std::int64_t time_ns = 0;
  std::int64_t depth = 0;
  friend bool operator==(const QueuePoint&, const QueuePoint&) = default;
};
// Points by time, one for each time at which the depth changes. O(n log n).
std::vector<QueuePoint> queue_depth(std::span<const Waited> all);
// For all work on the streams of one device.
std::vector<QueuePoint> queue_depth(const trace::TraceStore& trace, std::int16_t device);

}  // namespace ts::stats
