#include "core/memory/live_stack.h"

#include <algorithm>

#include "core/base/check.h"

namespace ts::memory {

std::size_t LiveStack::chunk_of(const Layer& layer, BlockIndex block) {
  const auto found = std::ranges::lower_bound(layer.chunks, block, {}, &Chunk::last);
  TS_CHECK(found != layer.chunks.end());
  return static_cast<std::size_t>(found - layer.chunks.begin());
}

void LiveStack::append(Layer& layer, const Item& item) {
  if (layer.chunks.empty() || layer.chunks.back().count == kMost) {
    layer.chunks.emplace_back();
    layer.items.emplace_back();
  }
  Chunk& chunk = layer.chunks.back();
  layer.items.back()[chunk.count] = item;
  ++chunk.count;
  chunk.bytes += item.size;
  chunk.last = item.block;
  if (item.drawn) {
    ++chunk.drawn;
  } else if (item.size > chunk.largest_size) {
    chunk.largest_size = item.size;
    chunk.largest = item.block;
  }
}

void LiveStack::add(Category category, const Item& item) {
  Layer& layer = layers_[static_cast<std::size_t>(category)];
  append(layer, item);
  layer.bytes += item.size;
  ++layer.count;
}

void LiveStack::find_largest(Chunk& chunk, const Items& items) {
  chunk.largest_size = -1;
  chunk.largest = kNone;
  for (std::uint32_t k = 0; k < chunk.count; ++k) {
    if (items[k].drawn || items[k].size <= chunk.largest_size) continue;
    chunk.largest_size = items[k].size;
    chunk.largest = items[k].block;
  }
}

void LiveStack::remove(Category category, BlockIndex block) {
  Layer& layer = layers_[static_cast<std::size_t>(category)];
  const std::size_t c = chunk_of(layer, block);
  Chunk& chunk = layer.chunks[c];
  Items& items = layer.items[c];
  Item* const end = items.data() + chunk.count;
  Item* const found =
      std::lower_bound(items.data(), end, block,
                       [](const Item& item, BlockIndex wanted) { return item.block < wanted; });
  TS_CHECK(found != end && found->block == block);
  const Item item = *found;
  std::copy(found + 1, end, found);
  --chunk.count;
  chunk.bytes -= item.size;
  layer.bytes -= item.size;
  --layer.count;
  if (item.drawn) {
    --chunk.drawn;
  } else if (chunk.largest == block) {
    find_largest(chunk, items);
  }
  // Chunks that empty little by little are packed before they outnumber the full ones.
  constexpr std::size_t kSlack = 16;
  if (chunk.count == 0 && layer.chunks.size() > 4 * (layer.count / kMost) + kSlack) pack(layer);
}

void LiveStack::pack(Layer& layer) {
  Layer packed;
  packed.bytes = layer.bytes;
  packed.count = layer.count;
  for (std::size_t c = 0; c < layer.chunks.size(); ++c) {
    for (std::uint32_t k = 0; k < layer.chunks[c].count; ++k) append(packed, layer.items[c][k]);
  }
  layer = std::move(packed);
}

void LiveStack::clear() {
  layers_ = {};
}

std::int64_t LiveStack::bottom_of(Category category, BlockIndex block) const {
  std::int64_t at = 0;
  for (int i = 0; i < static_cast<int>(category); ++i) {
    at += layers_[static_cast<std::size_t>(i)].bytes;
  }
  const Layer& layer = layers_[static_cast<std::size_t>(category)];
  const std::size_t chunk = chunk_of(layer, block);
  for (std::size_t c = 0; c < chunk; ++c) at += layer.chunks[c].bytes;
  for (const Item& item : layer.items[chunk]) {
    if (item.block == block) break;
    at += item.size;
  }
  return at;
}

}  // namespace ts::memory
