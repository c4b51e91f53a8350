#include "core/memory/live_checkpoints.h"

#include <algorithm>

namespace ts::memory {

namespace {

constexpr std::size_t kLeastDistance = 1024;

// For a block that was allocated by then.
bool lives_after(const Block& block, EventIndex event) {
  return block.free_event == kNone || block.free_event > event;
}

}  // namespace

void LiveCheckpoints::take(EventIndex event, std::span<const Block> blocks) {
  const std::vector<BlockIndex> live = live_after(event, blocks);
  const std::size_t begin = live_.size();
  live_.insert(live_.end(), live.begin(), live.end());
  checkpoints_.push_back({event, static_cast<BlockIndex>(blocks.size()), begin, live_.size()});
  due_ = std::size_t{event} + 1 + std::max(kLeastDistance, live.size());
}

std::vector<BlockIndex> LiveCheckpoints::live_after(EventIndex event,
                                                    std::span<const Block> blocks) const {
  std::vector<BlockIndex> live;
  if (event == kNone) return live;
  BlockIndex next_block = 0;
  const auto after = std::upper_bound(
      checkpoints_.begin(), checkpoints_.end(), event,
      [](EventIndex wanted, const Checkpoint& checkpoint) { return wanted < checkpoint.event; });
  if (after != checkpoints_.begin()) {
    const Checkpoint& checkpoint = *(after - 1);
    next_block = checkpoint.next_block;
    live.reserve(checkpoint.end - checkpoint.begin);
    for (std::size_t i = checkpoint.begin; i < checkpoint.end; ++i) {
      if (lives_after(blocks[live_[i]], event)) live.push_back(live_[i]);
    }
  }
  for (; next_block < blocks.size() && blocks[next_block].alloc_event <= event; ++next_block) {
    if (lives_after(blocks[next_block], event)) live.push_back(next_block);
  }
  return live;
}

std::size_t LiveCheckpoints::bytes() const {
  return checkpoints_.capacity() * sizeof(Checkpoint) + live_.capacity() * sizeof(BlockIndex);
}

}  // namespace ts::memory
