#include "core/memory/stack_column.h"

#include <algorithm>
#include <array>

namespace ts::memory {

StackColumn::StackColumn(const AllocationLog& log, EventIndex event) : event_(event) {
  if (event == kNone) return;
  const std::vector<BlockIndex> live = log.live_after(event);
  const auto blocks = log.blocks();
  // Sorted by category, the order inside stays.
  std::array<std::size_t, kCategoryCount> next{};
  for (const BlockIndex index : live) ++next[static_cast<std::size_t>(blocks[index].category)];
  std::size_t begin = 0;
  for (std::size_t& place : next) {
    const std::size_t count = place;
    place = begin;
    begin += count;
  }
  blocks_.resize(live.size());
  for (const BlockIndex index : live) {
    blocks_[next[static_cast<std::size_t>(blocks[index].category)]++] = index;
  }
  tops_.reserve(live.size());
  std::int64_t top = 0;
  for (const BlockIndex index : blocks_) tops_.push_back(top += blocks[index].size);
}

std::optional<StackPlace> StackColumn::at(const AllocationLog& log, const DrawnBlocks& drawn,
                                          std::int64_t bytes) const {
  const auto found = std::upper_bound(tops_.begin(), tops_.end(), bytes);
  if (bytes < 0 || found == tops_.end()) return std::nullopt;
  const auto blocks = log.blocks();
  const auto place = static_cast<std::size_t>(found - tops_.begin());
  StackPlace out;
  out.top = tops_[place];
  const std::int64_t size = blocks[blocks_[place]].size;
  out.block = blocks_[place];
  out.bottom = out.top - size;
  out.drawn = drawn.contains(out.block, size);
  return out;
}

}  // namespace ts::memory
