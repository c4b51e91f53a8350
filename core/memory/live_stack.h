#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/memory/block.h"

namespace ts::memory {

// The live blocks in the order of the stack: by category, inside a category by index. Blocks lie in
// chunks with sums, so that what is out of view or too small to be drawn costs a step a chunk.
class LiveStack {
 public:
  struct Item {
    std::int64_t size = 0;
    BlockIndex block = kNone;
    bool drawn = false;  // individually
  };

  // The blocks of a category are added in rising order.
  void add(Category category, const Item& item);
  // A block that is there.
  void remove(Category category, BlockIndex block);
  void clear();

  // How blocks that are not drawn individually are visited.
  struct Rest {
    bool joined = false;    // neighbours of one category as one band
    std::int64_t unit = 0;  // else singly, but chunks of at most so many bytes as one
  };
  // Calls visit(category, bottom, top, block, largest) from the bottom up for what reaches into
  // [from, to) and is of category `first` or a later one: each drawn block, and the rest with kNone
  // for the block and the largest of what is visited together. A band may be given without its part
  // outside.
  template <class Visit>
  void visit(Category first, std::int64_t from, std::int64_t to, const Rest& rest,
             const Visit& visit) const;

  // The bytes below a block that is there.
  [[nodiscard]] std::int64_t bottom_of(Category category, BlockIndex block) const;

 private:
  static constexpr std::size_t kMost = 64;
  struct Chunk {
    std::int64_t bytes = 0;
    std::int64_t largest_size = -1;
    BlockIndex largest = kNone;  // of those that are not drawn; the older among equals
    BlockIndex last = 0;         // the highest index ever put in
    std::uint32_t count = 0;
    std::uint32_t drawn = 0;  // how many of them are drawn
  };
  using Items = std::array<Item, kMost>;
  struct Layer {
    std::vector<Chunk> chunks;
    std::vector<Items> items;  // by chunk
    std::int64_t bytes = 0;
    std::size_t count = 0;
  };

  [[nodiscard]] static std::size_t chunk_of(const Layer& layer, BlockIndex block);
  static void append(Layer& layer, const Item& item);
  static void find_largest(Chunk& chunk, const Items& items);
  static void pack(Layer& layer);

  std::array<Layer, kCategoryCount> layers_;
};

template <class Visit>
void LiveStack::visit(Category first, std::int64_t from, std::int64_t to, const Rest& rest,
                      const Visit& visit) const {
  std::int64_t at = 0;
  for (int i = 0; i < static_cast<int>(first); ++i)
    at += layers_[static_cast<std::size_t>(i)].bytes;
  for (int i = static_cast<int>(first); i < kCategoryCount && at < to; ++i) {
    const Layer& layer = layers_[static_cast<std::size_t>(i)];
    const auto category = static_cast<Category>(i);
    if (at + layer.bytes <= from) {
      at += layer.bytes;
      continue;
    }
    std::int64_t band_bottom = at;
    std::int64_t largest_size = -1;
    BlockIndex largest = kNone;
    const auto end_band = [&] {
      if (at > band_bottom) visit(category, band_bottom, at, kNone, largest);
      largest_size = -1;
      largest = kNone;
    };
    for (std::size_t c = 0; c < layer.chunks.size() && at < to; ++c) {
      const Chunk& chunk = layer.chunks[c];
      if (at + chunk.bytes <= from) {
        at += chunk.bytes;
        band_bottom = at;
        continue;
      }
      const auto take = [&](std::int64_t bytes, std::int64_t size, BlockIndex block) {
        at += bytes;
        if (size > largest_size) {
          largest_size = size;
          largest = block;
        }
        if (rest.joined) return;
        end_band();
        band_bottom = at;
      };
      if (chunk.drawn == 0 && (rest.joined || chunk.bytes <= rest.unit)) {
        take(chunk.bytes, chunk.largest_size, chunk.largest);
        continue;
      }
      const Items& items = layer.items[c];
      for (std::uint32_t k = 0; k < chunk.count; ++k) {
        const Item& item = items[k];
        if (item.drawn) {
          end_band();
          visit(category, at, at + item.size, item.block, item.block);
          at += item.size;
          band_bottom = at;
        } else {
          take(item.size, item.size, item.block);
        }
      }
    }
    end_band();
  }
}

}  // namespace ts::memory
