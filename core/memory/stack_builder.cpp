#include "core/memory/stack_builder.h"

#include <algorithm>

#include "core/base/check.h"

namespace ts::memory {

void StackBuilder::add(BlockIndex block, Category category, std::int64_t size) {
  Item item;
  item.size = size;
  item.block = block;
  layer(category).items.push_back(item);
}

void StackBuilder::remove(BlockIndex block, Category category, std::int32_t column) {
  Layer& from = layer(category);
  const auto found =
      std::lower_bound(from.items.begin(), from.items.end(), block,
                       [](const Item& item, BlockIndex wanted) { return item.block < wanted; });
  TS_CHECK(found != from.items.end() && found->block == block);
  close(*found, category, column);
  found->removed = true;
  from.dirty = std::min(from.dirty, static_cast<std::size_t>(found - from.items.begin()));
}

void StackBuilder::change_band(Category category, std::int64_t by) {
  layer(category).band_bytes += by;
}

void StackBuilder::place(std::int32_t column) {
  std::int64_t bottom = 0;
  for (int i = 0; i < kCategoryCount; ++i) {
    const auto category = static_cast<Category>(i);
    Layer& here = layer(category);
    if (here.bottom != bottom) {
      here.bottom = bottom;
      here.dirty = 0;
    }
    if (here.dirty == 0) here.items_top = bottom;
    if (here.dirty < here.items.size()) place_items(here, category, column);
    place_band(here, category, column);
    bottom = here.items_top + here.band_bytes;
  }
}

void StackBuilder::place_items(Layer& here, Category category, std::int32_t column) {
  std::size_t kept = here.dirty;
  std::int64_t bottom =
      kept == 0 ? here.bottom : here.items[kept - 1].bottom + here.items[kept - 1].size;
  for (std::size_t i = here.dirty; i < here.items.size(); ++i) {
    Item item = here.items[i];
    if (item.removed) continue;
    if (item.column == kUnplaced || item.bottom != bottom) {
      close(item, category, column);
      item.bottom = bottom;
      item.column = column;
    }
    here.items[kept++] = item;
    bottom += item.size;
  }
  here.items.resize(kept);
  here.dirty = kept;
  here.items_top = bottom;
}

void StackBuilder::place_band(Layer& here, Category category, std::int32_t column) {
  if (here.band.bottom == here.items_top && here.band.size == here.band_bytes) return;
  close(here.band, category, column);
  here.band.bottom = here.items_top;
  here.band.size = here.band_bytes;
  here.band.column = column;
}

void StackBuilder::clear(std::int32_t column) {
  for (int i = 0; i < kCategoryCount; ++i) {
    const auto category = static_cast<Category>(i);
    Layer& here = layer(category);
    for (const Item& item : here.items) close(item, category, column);
    close(here.band, category, column);
    here = Layer();
  }
}

void StackBuilder::close(const Item& item, Category category, std::int32_t column) {
  if (item.column == kUnplaced || item.size == 0 || item.column == column) return;
  rects_.push_back(
      {item.column, column, item.bottom, item.bottom + item.size, item.block, category});
}

}  // namespace ts::memory
