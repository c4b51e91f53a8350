#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/memory/allocation_log.h"

namespace ts::allocator {

// The trace of one device of a snapshot as an allocation log, so that the views of a run show it.
//
// Blocks that lived before the trace begins are allocated at the time of its first event: those
// that it frees without having allocated them, and those of the final segments that it never saw.
// Sizes are the requested ones, as in the trace. Times are Unix times in nanoseconds.
//
// A category is what the file says and unknown otherwise. Operator, module, phase and step come
// from our own frames; else the outermost ATen operator of the stack, the innermost line of Python
// outside PyTorch, and the phase only where autograd's engine or an optimizer is on the stack; a
// phase that is not known is idle. Phase bands come from annotations of these names.
struct SnapshotLog {
  memory::AllocationLog log;
  std::vector<StackIndex> stacks;  // of allocations, by block; kNone where none was captured
  // Of frees, for blocks that lived before the trace and of which only that is known.
  std::unordered_map<memory::BlockIndex, StackIndex> free_stacks;
  std::int64_t blocks_before = 0;  // that lived before the trace begins
  std::int64_t bytes_before = 0;
  std::int64_t peak_reserved = 0;  // bytes, by the trace and the final segments
  std::int64_t end_reserved = 0;
};

// Adds the texts it makes to the snapshot's own strings. A device without a trace has the blocks of
// its segments.
SnapshotLog log_of_snapshot(const Snapshot& snapshot, std::size_t device);

}  // namespace ts::allocator
