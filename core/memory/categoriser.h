#pragma once

#include <cstdint>
#include <vector>

#include "core/base/huge_page_allocator.h"
#include "core/base/phase.h"
#include "core/memory/block.h"

namespace ts::memory {

struct CategoryChange {
  BlockIndex block = kNone;
  Category category = Category::unknown;
};

// The rules that give blocks their category (see AllocationLog), separate from everything else.
// Call it with all events in order; each call appends the changed categories to `changes`. A block
// starts as unknown; each new block gets the next index. One owner thread.
class Categoriser {
 public:
  using Changes = std::vector<CategoryChange>;

  // Reserves space for this many more blocks.
  void reserve(std::size_t blocks) { lives_.reserve(lives_.size() + blocks); }
  void born(BlockIndex block, base::Phase phase, bool graph_kept);
  void owned(BlockIndex block, Category category, Changes& changes);
  void freed(BlockIndex block, Changes& changes) {
    Life& life = lives_[block];
    if (life.phase == base::Phase::setup && life.category == Category::unknown)
      freed_in_setup_.push_back(block);
    if (life.fate == Fate::decided) return;
    life.fate = Fate::decided;
    set(block, Category::temporary, changes);
  }
  void operator_ended(Changes& changes);
  void phase_ended(base::Phase phase, Changes& changes);
  // The allocator refused: the blocks that the step holds now belong to the graph, although
  // unwinding frees them before the phase ends.
  void refused();

  [[nodiscard]] Category category(BlockIndex block) const { return lives_[block].category; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  enum class Fate : std::uint8_t {
    decided,      // final, unless an owner record changes it
    in_operator,  // forward with a graph, its operator still runs
    held,         // outlived its operator: an activation unless freed before the phase ends
    open,         // a temporary once freed or once the phase ends
  };
  struct Life {
    Category category = Category::unknown;
    Fate fate = Fate::decided;
    base::Phase phase = base::Phase::setup;
  };

  void set(BlockIndex block, Category category, Changes& changes) {
    if (lives_[block].category == category) return;
    lives_[block].category = category;
    changes.push_back({block, category});
  }

  base::HugeVector<Life> lives_;         // by block
  std::vector<BlockIndex> in_operator_;  // born since the last operator ended
  // Without an owner. In a file without phases all is set-up, so these are temporaries only once
  // that phase ends.
  std::vector<BlockIndex> freed_in_setup_;
  std::vector<BlockIndex> undecided_;  // allocated in an open phase; may include decided blocks
};

}  // namespace ts::memory
