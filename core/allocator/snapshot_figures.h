#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/allocator/snapshot.h"
#include "core/memory/address_map.h"

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

// The requested bytes of all blocks that live, while a trace is played. Begins with the blocks that
// lived before it. Sizes come from a file: a sum wraps on overflow.
class RequestedBytes {
 public:
  RequestedBytes(const Snapshot& snapshot, std::size_t device);
  // A block at the address of another ends that one, whose free is missing in the trace.
  void begin(std::uint64_t address, std::int64_t bytes);
  void end(std::uint64_t address);
  [[nodiscard]] std::int64_t now() const { return now_; }
  [[nodiscard]] std::int64_t peak() const { return peak_; }

 private:
  memory::AddressMap<std::int64_t> live_;
  std::int64_t now_ = 0;
  std::int64_t peak_ = 0;
};

struct PeakAndEnd {
  std::int64_t peak = 0;  // bytes
  std::int64_t end = 0;
};

// From the trace and the final segments, whose sum is exact.
PeakAndEnd reserved_bytes(const Snapshot& snapshot, std::size_t device);

// From the requested sizes, as in a trace, and the blocks that lived before it. The allocator's own
// count of allocated bytes is a little larger, because it rounds.
PeakAndEnd allocated_bytes(const Snapshot& snapshot, std::size_t device);

// False: no entry of a trace has a time, as in older versions of PyTorch, or all have the same, so
// that only their order tells.
bool has_times(const Snapshot& snapshot);

// Devices with a trace or segments, by number. A file may contain any number; impossible ones are
// left out.
std::vector<std::size_t> devices_of(const Snapshot& snapshot);

}  // namespace ts::allocator
