#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/blocks/block_source.h"

namespace ts::blocks {

// Blocks of one stack and one size in two recordings.
struct BlockDifference {
  std::string stack;  // as in short_stack_text(), files without folders; empty: not known
  std::int64_t size = 0;
  std::int64_t count_a = 0;
  std::int64_t count_b = 0;
  [[nodiscard]] std::int64_t bytes() const { return (count_b - count_a) * size; }  // B minus A
};

// A state of a recording: what is alive right after an event.
struct AliveAt {
  const BlockSource& source;
  memory::EventIndex event = memory::kNone;
};

// Blocks alive in one and not in the other, by stack and size, the largest difference first. What
// both have alike is left out. Stacks are equal if their words are, without folders and without the
// frame of the step. O(live + stacks).
std::vector<BlockDifference> difference_of(const AliveAt& a, const AliveAt& b);

// The blocks of a row that are alive in one of the states, by index. O(live + stacks).
std::vector<memory::BlockIndex> blocks_of(const AliveAt& state, const BlockDifference& row);

}  // namespace ts::blocks
