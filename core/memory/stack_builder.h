#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/memory/active_memory_layout.h"

namespace ts::memory {

// Turns blocks that are allocated and freed from column to column into rectangles. For each column:
// remove() and add() the changes since the last one, then place(). Only the part of a category
// above its lowest change is visited; a block that keeps its place continues its rectangle.
class StackBuilder {
 public:
  explicit StackBuilder(std::vector<StackRect>& rects) : rects_(rects) {}

  // Blocks drawn individually; those of a category must be added in ascending order.
  void add(BlockIndex block, Category category, std::int64_t size);
  void remove(BlockIndex block, Category category, std::int32_t column);
  // All other blocks, as one band: the change of its size.
  void change_band(Category category, std::int64_t by);

  void place(std::int32_t column);
  // No block is live from this column on.
  void clear(std::int32_t column);

 private:
  static constexpr std::int32_t kUnplaced = -1;
  struct Item {
    std::int64_t bottom = 0;
    std::int64_t size = 0;
    BlockIndex block = kNone;
    std::int32_t column = kUnplaced;  // where its rectangle began
    bool removed = false;
  };
  struct Layer {
    std::vector<Item> items;  // by block, from the bottom
    std::size_t dirty = 0;    // items below keep their order since the last place()
    std::int64_t bottom = 0;
    std::int64_t items_top = 0;
    Item band;
    std::int64_t band_bytes = 0;
  };

  void place_items(Layer& layer, Category category, std::int32_t column);
  void place_band(Layer& layer, Category category, std::int32_t column);
  void close(const Item& item, Category category, std::int32_t column);
  Layer& layer(Category category) { return layers_[static_cast<std::size_t>(category)]; }

  std::vector<StackRect>& rects_;
  std::array<Layer, kCategoryCount> layers_;
};

}  // namespace ts::memory
