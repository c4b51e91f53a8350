#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/base/string_table.h"

namespace ts::allocator {

// One event of the CUDA caching allocator, as its trace tracker tells it, and the operator and
// module that were open on its thread. Sizes are those asked for.
struct AllocatorEvent {
  std::int64_t time_ns = 0;   // base::now_ns()
  std::uint64_t address = 0;  // oom: the bytes the device has free
  std::int64_t size = 0;
  std::int64_t stream = 0;
  base::StringId op = base::kNoString;
  base::StringId module = base::kNoString;
  std::int32_t device = 0;
  TraceAction action = TraceAction::alloc;
};

// What it holds at the end, and how it is set. Segments have no stacks.
struct AllocatorState {
  std::vector<SnapshotSegment> segments;
  std::string conf;                  // PYTORCH_CUDA_ALLOC_CONF as it was given
  std::int64_t max_split_size = -1;  // -1: unlimited
  double garbage_collection_threshold = 0;
  bool expandable_segments = false;
  std::vector<std::int64_t> roundup_power2_divisions;  // for 1, 2, 4 ... MiB; empty: none
};

// Both in the form of PyTorch's own snapshot. A stack has the operator and the modules from the
// inside out; a live block has that of its allocation, a segment that of the event which took it.
// Texts come from `strings`; `unix_offset_ns` is Unix time less the events' clock.
Snapshot snapshot_of(std::span<const AllocatorEvent> events, AllocatorState state,
                     const base::StringTable& strings, std::int64_t unix_offset_ns);

}  // namespace ts::allocator
