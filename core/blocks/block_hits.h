#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/blocks/block_source.h"

namespace ts::blocks {

// Blocks chosen as a group, such as those of one row of a table. Never changed once made.
struct BlockPick {
  std::uint64_t id = 0;                    // of the device
  std::vector<memory::BlockIndex> blocks;  // by index
};
using BlockPicks = std::vector<std::shared_ptr<const BlockPick>>;  // one a device

// The blocks that a search text finds (find_blocks), else those that are picked; made again when
// text, pick or device changed. One thread.
class BlockHits {
 public:
  // `id` is that of the device; a text without words finds nothing and is no search.
  void update(std::uint64_t id, const BlockSource& source, const std::string& text,
              const BlockPicks& picks);
  void clear();

  [[nodiscard]] bool active() const { return active_; }
  [[nodiscard]] const std::vector<memory::BlockIndex>& blocks() const { return blocks_; }
  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  // By block; null without a search. Never changed once given out.
  [[nodiscard]] const std::shared_ptr<const std::vector<bool>>& marks() const { return marks_; }
  // The hit `by` positions (1 or -1) from a block, cyclic; the first or last without one.
  [[nodiscard]] std::optional<memory::BlockIndex> step(std::optional<memory::BlockIndex> from,
                                                       int by) const;

 private:
  bool active_ = false;
  std::uint64_t id_ = 0;
  std::string text_;
  std::shared_ptr<const BlockPick> pick_;
  std::vector<memory::BlockIndex> blocks_;
  std::int64_t bytes_ = 0;
  std::shared_ptr<const std::vector<bool>> marks_;
};

}  // namespace ts::blocks
