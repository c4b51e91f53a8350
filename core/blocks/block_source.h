#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>

#include "core/allocator/log_of_snapshot.h"
#include "core/allocator/snapshot.h"
#include "core/memory/allocation_log.h"

namespace ts::blocks {

// One device of an opened snapshot: its blocks, and what the file says of each. References and
// spans outlive the source; see allocator::SnapshotLog for the meaning of the fields.
struct BlockSource {
  const allocator::Snapshot& snapshot;
  std::size_t device = 0;
  const memory::AllocationLog& log;
  std::span<const allocator::StackIndex> stacks;  // of allocations, by block
  std::span<const std::uint32_t> entries;         // of the trace, by block; kNone: before it
  const std::unordered_map<memory::BlockIndex, allocator::StackIndex>& free_stacks;

  [[nodiscard]] allocator::StackIndex stack_of(memory::BlockIndex block) const {
    return block < stacks.size() ? stacks[block] : memory::kNone;
  }
};

inline BlockSource source_of(const allocator::Snapshot& snapshot, std::size_t device,
                             const allocator::SnapshotLog& log) {
  return {.snapshot = snapshot,
          .device = device,
          .log = log.log,
          .stacks = log.stacks,
          .entries = log.entries,
          .free_stacks = log.free_stacks};
}

}  // namespace ts::blocks
