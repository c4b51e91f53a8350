#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/base/string_table.h"

namespace ts::allocator {

// One event of the CUDA caching allocator from its trace tracker, with the operator and module that
// were open on its thread. Sizes are the requested ones.
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

// The final state and the settings of the allocator. Segments have no stacks.
struct AllocatorState {
  std::vector<SnapshotSegment> segments;
  std::string conf;                  // PYTORCH_CUDA_ALLOC_CONF as it was given
  std::int64_t max_split_size = -1;  // -1: unlimited
  double garbage_collection_threshold = 0;
  bool expandable_segments = false;
  std::vector<std::int64_t> roundup_power2_divisions;  // for 1, 2, 4 ... MiB; empty: none
};

// Converts both to the form of PyTorch's own snapshot. A stack has the operator and the modules,
// innermost first; a live block has the stack of its allocation, a segment that of the event that
// allocated it. Texts come from `strings`; `unix_offset_ns` is Unix time minus the events' clock.
Snapshot snapshot_of(std::span<const AllocatorEvent> events, AllocatorState state,
                     const base::StringTable& strings, std::int64_t unix_offset_ns);

}  // namespace ts::allocator
