#include "core/blocks/block_hits.h"

#include <algorithm>
#include <utility>

#include "core/blocks/block_search.h"

namespace ts::blocks {

void BlockHits::clear() {
  *this = BlockHits();
}

void BlockHits::update(std::uint64_t id, const BlockSource& source, const std::string& text,
                       const BlockPicks& picks) {
  const auto of_device = std::ranges::find(picks, id, &BlockPick::id);
  const auto pick = of_device == picks.end() ? nullptr : *of_device;
  if (id == id_ && text == text_ && pick == pick_) return;
  clear();
  id_ = id;
  text_ = text;
  pick_ = pick;
  const bool searches = text_.find_first_not_of(' ') != std::string::npos;
  active_ = searches || pick_ != nullptr;
  if (!active_) return;
  const auto all = source.log.blocks();
  blocks_ = searches ? find_blocks(source, text_) : pick_->blocks;
  auto marks = std::make_shared<std::vector<bool>>(all.size(), false);
  for (const memory::BlockIndex block : blocks_) {
    (*marks)[block] = true;
    bytes_ += all[block].size;
  }
  marks_ = std::move(marks);
}

std::optional<memory::BlockIndex> BlockHits::step(std::optional<memory::BlockIndex> from,
                                                  int by) const {
  if (blocks_.empty()) return std::nullopt;
  if (!from) return by > 0 ? blocks_.front() : blocks_.back();
  if (by > 0) {
    const auto after = std::ranges::upper_bound(blocks_, *from);
    return after == blocks_.end() ? blocks_.front() : *after;
  }
  const auto at = std::ranges::lower_bound(blocks_, *from);
  return at == blocks_.begin() ? blocks_.back() : *(at - 1);
}

}  // namespace ts::blocks
