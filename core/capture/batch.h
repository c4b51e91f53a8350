#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/memory/record.h"
#include "core/trace/kernel_launch.h"
#include "core/trace/trace_store.h"

namespace ts::capture {

// Decoded records, ready to append to a TraceStore and an AllocationLog.
struct Batch {
  struct NewTrack {
    trace::TrackId id = 0;  // ids count from 0 in each run; 0 holds steps and phases
    trace::Track track;
  };
  struct Row {
    trace::TrackId track = 0;
    std::uint16_t depth = 0;
    trace::Slice slice;
  };
  std::vector<NewTrack> tracks;
  std::vector<Row> slices;  // each lane ordered by begin
  std::vector<memory::Record> memory;
  std::vector<std::pair<base::StringId, trace::KernelLaunch>> launches;  // by the slices' detail
  std::uint64_t dropped = 0;  // records lost so far in this run, a running count
  // The largest drift so far between the clock of the GPU's records and ours, within a recording.
  std::int64_t clock_drift_ns = 0;
  [[nodiscard]] bool empty() const noexcept {
    return tracks.empty() && slices.empty() && memory.empty() && launches.empty();
  }
  [[nodiscard]] std::size_t bytes() const noexcept {
    return slices.size() * sizeof(Row) + memory.size() * sizeof(memory::Record);
  }
};

}  // namespace ts::capture
