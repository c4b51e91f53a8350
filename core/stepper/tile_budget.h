#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/base/message.h"
#include "core/calculate/inputs.h"

namespace ts::stepper {

// The tiles of an attention kernel in shared memory.
struct TileSizes {
  std::int64_t d_head = 64;
  std::int64_t block_q = 64, block_k = 64;  // rows
  std::int64_t element_bytes = 2;
  std::int64_t stages = 1;  // of copies that are under way
};
// From the inputs of these names.
TileSizes tile_sizes(const calculate::Chosen& chosen);

// A tensor core's product takes tiles of this side at least.
inline constexpr std::int64_t kLeastTile = 16;

// Bytes of a block, by the formula of the calculator tile_memory.
struct SharedMemory {
  std::int64_t tiles = 0;   // of Q, K and V
  std::int64_t scores = 0;  // in fp32
  [[nodiscard]] std::int64_t all() const { return tiles + scores; }
};
SharedMemory shared_memory(const TileSizes& sizes);

// Tiles that fit into `limit` bytes by the least change: fewer stages, then half the larger tile,
// of no less than kLeastTile rows. The same sizes where they fit; unset where nothing does.
std::optional<TileSizes> shrunk_to(std::int64_t limit, const TileSizes& sizes);

// Whether the tiles fit a card, and what would.
struct TileFit {
  bool fits = false;
  std::int64_t limit = 0;  // bytes that a block can have; 0: not known
  std::int64_t used = 0;
  base::Message said;
};
TileFit fit_of(const std::string& card, std::optional<std::int64_t> limit, const TileSizes& sizes);

}  // namespace ts::stepper
