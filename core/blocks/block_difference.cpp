#include "core/blocks/block_difference.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/blocks/stack_parts.h"

namespace ts::blocks {
namespace {

using Counts = std::map<std::pair<std::string, std::int64_t>, BlockDifference>;

// Calls visit(block, words of its stack) for each block that is alive.
template <typename Visit>
void for_each_alive(const AliveAt& state, const Visit& visit) {
  const BlockSource& source = state.source;
  std::unordered_map<allocator::StackIndex, std::string> names;
  for (const memory::BlockIndex block : source.log.live_after(state.event)) {
    const allocator::StackIndex stack = source.stack_of(block);
    const auto [name, fresh] = names.try_emplace(stack);
    if (fresh)
      name->second =
          frames_text(source.snapshot, frames_but_step(source.snapshot, stack), Paths::names);
    visit(block, name->second);
  }
}

void count_alive(const AliveAt& state, std::int64_t BlockDifference::*count, Counts& counts) {
  for_each_alive(state, [&](memory::BlockIndex block, const std::string& stack) {
    ++(counts[{stack, state.source.log.blocks()[block].size}].*count);
  });
}

}  // namespace

std::vector<BlockDifference> difference_of(const AliveAt& a, const AliveAt& b) {
  Counts counts;
  count_alive(a, &BlockDifference::count_a, counts);
  count_alive(b, &BlockDifference::count_b, counts);
  std::vector<BlockDifference> differences;
  for (auto& [key, difference] : counts) {
    if (difference.count_a == difference.count_b) continue;
    std::tie(difference.stack, difference.size) = key;
    differences.push_back(std::move(difference));
  }
  std::ranges::stable_sort(differences, std::ranges::greater(),
                           [](const BlockDifference& one) { return std::abs(one.bytes()); });
  return differences;
}

std::vector<memory::BlockIndex> blocks_of(const AliveAt& state, const BlockDifference& row) {
  std::vector<memory::BlockIndex> blocks;
  for_each_alive(state, [&](memory::BlockIndex block, const std::string& stack) {
    if (stack == row.stack && state.source.log.blocks()[block].size == row.size)
      blocks.push_back(block);
  });
  std::ranges::sort(blocks);
  return blocks;
}

}  // namespace ts::blocks
