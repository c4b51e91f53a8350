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
  std::span<const std::uint32_t> event_entries;   // of the trace, by event of the log
  const std::unordered_map<memory::BlockIndex, allocator::StackIndex>& free_stacks;

  [[nodiscard]] allocator::StackIndex stack_of(memory::BlockIndex block) const {
    return block < stacks.size() ? stacks[block] : memory::kNone;
  }
  // The stack of the free of a block that the recording only frees; kNone for others.
  [[nodiscard]] allocator::StackIndex free_stack_of(memory::BlockIndex block) const {
    const auto freed = free_stacks.find(block);
    return freed == free_stacks.end() ? memory::kNone : freed->second;
  }
  // The number of an event in the list of the trace; -1: the block lived before it.
  [[nodiscard]] std::int64_t number_of(memory::EventIndex event) const {
    const memory::Event& one = log.events()[event];
    const bool earlier = one.block < entries.size() && entries[one.block] == memory::kNone;
    if (earlier && one.action == memory::Action::alloc) return -1;
    return event < event_entries.size() ? event_entries[event] : event;
  }
};

inline BlockSource source_of(const allocator::Snapshot& snapshot, std::size_t device,
                             const allocator::SnapshotLog& log) {
  return {.snapshot = snapshot,
          .device = device,
          .log = log.log,
          .stacks = log.stacks,
          .entries = log.entries,
          .event_entries = log.event_entries,
          .free_stacks = log.free_stacks};
}

}  // namespace ts::blocks
