#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/allocator/snapshot.h"

namespace ts::allocator {

// A block that lived before the trace begins: one that the trace frees without an allocation, or
// one of the final segments that it never saw.
struct EarlierBlock {
  std::uint64_t address = 0;
  std::int64_t size = 0;             // requested size where that is known
  StackIndex stack = memory::kNone;  // of its allocation
  StackIndex freed = memory::kNone;  // of its free, if only that is known
  friend bool operator==(const EarlierBlock&, const EarlierBlock&) = default;
};

// Ordered by address. An address that is freed twice without an allocation is a gap in the trace,
// not another block.
std::vector<EarlierBlock> earlier_blocks(const Snapshot& snapshot, std::size_t device);

struct PeakAndEnd {
  std::int64_t peak = 0;  // bytes
  std::int64_t end = 0;
};

// From the trace and the final segments, whose sum is exact.
PeakAndEnd reserved_bytes(const Snapshot& snapshot, std::size_t device);

// From the requested sizes, as in a trace, and the blocks that lived before it. The allocator's own
// count of allocated bytes is a little larger, because it rounds.
PeakAndEnd allocated_bytes(const Snapshot& snapshot, std::size_t device);

// False: no entry of a trace has a time. Older versions of PyTorch wrote none.
bool has_times(const Snapshot& snapshot);

// Devices with a trace or segments, by number. A file may contain any number; impossible ones are
// left out.
std::vector<std::size_t> devices_of(const Snapshot& snapshot);

}  // namespace ts::allocator
