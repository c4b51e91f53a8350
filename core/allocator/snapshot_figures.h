#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/allocator/snapshot.h"

namespace ts::allocator {

// A block that lived before the trace begins: one that the trace frees without having allocated it,
// or one of the final segments that it never saw.
struct EarlierBlock {
  std::uint64_t address = 0;
  std::int64_t size = 0;             // asked for where that is known
  StackIndex stack = memory::kNone;  // of its allocation
  StackIndex freed = memory::kNone;  // of its free, where only that is known
  friend bool operator==(const EarlierBlock&, const EarlierBlock&) = default;
};

// By address. An address that is freed twice without an allocation is a gap in the trace, not
// another block.
std::vector<EarlierBlock> earlier_blocks(const Snapshot& snapshot, std::size_t device);

struct PeakAndEnd {
  std::int64_t peak = 0;  // bytes
  std::int64_t end = 0;
};

// By the trace and the final segments, whose sum is certain.
PeakAndEnd reserved_bytes(const Snapshot& snapshot, std::size_t device);

// By the sizes that were asked for, as in a trace, and the blocks that lived before it. What the
// allocator counts as allocated is a little more: it rounds.
PeakAndEnd allocated_bytes(const Snapshot& snapshot, std::size_t device);

// Devices with a trace or segments, by number. A file may claim any number; one that cannot be is
// left out.
std::vector<std::size_t> devices_of(const Snapshot& snapshot);

}  // namespace ts::allocator
