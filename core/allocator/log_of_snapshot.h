#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/memory/allocation_log.h"

namespace ts::allocator {

// Converts the trace of one device of a snapshot to an allocation log, for the views of a run.
//
// Blocks that lived before the trace begins are allocated at the time of its first event: those
// that the trace frees without an allocation, and those of the final segments that it never saw.
// Sizes are the requested ones, as in the trace. Times are Unix times in nanoseconds; they count
// events where the snapshot has none (has_times()).
// The category is that of the file; in a file without categories it is guessed. Operator, module,
// phase and step come from our own frames. Without these: the outermost ATen operator of the stack,
// the innermost Python line outside PyTorch, and a phase only if autograd's engine or an optimizer
// is on the stack; an unknown phase is idle. Phase bands come from annotations with the names of
// phases or of PyTorch ("Optimizer.step#AdamW.step"); without a backward among them, from the
// guess. Steps come from annotations "ProfilerStep#N", else from our own frames or the guess.
struct SnapshotLog {
  memory::AllocationLog log;
  std::vector<StackIndex> stacks;      // of allocations, by block; kNone where none was captured
  std::vector<std::uint32_t> entries;  // of the trace, by block; kNone: allocated before it
  // Entries of the trace, by event of the log, ascending; 0 for blocks allocated before it.
  std::vector<std::uint32_t> event_entries;
  // Stacks of frees, for blocks that lived before the trace and have no other stack.
  std::unordered_map<memory::BlockIndex, StackIndex> free_stacks;
  // Set if the categories, and phases where the file has none, are guessed (category_guess.h),
  // because no entry of the file has a category: of the bytes at the peak those with a category.
  std::optional<double> guessed_share;
  std::int64_t blocks_before = 0;  // that lived before the trace begins
  std::int64_t bytes_before = 0;
  std::int64_t peak_reserved = 0;  // bytes, by the trace and the final segments
  std::int64_t end_reserved = 0;
};

// Adds its texts to the strings of the snapshot. A device without a trace gets the blocks of its
// segments.
SnapshotLog log_of_snapshot(const Snapshot& snapshot, std::size_t device);

}  // namespace ts::allocator
