#pragma once

#include <cstdint>

namespace ts::stepper {

// masked: the causal mask hides a part; skipped: all of it, so the loop does not reach it.
enum class TileKind : std::uint8_t { full, masked, skipped };

// The tiles of the scores of one head, in the loop order of our kernels (kernels/own,
// kernels/own_cuda): for each tile of Q all tiles of K and V that one of its rows sees.
class TileGrid {
 public:
  TileGrid(std::int64_t length, std::int64_t block_q, std::int64_t block_k, bool causal)
      : TileGrid(length, length, block_q, block_k, causal) {}
  // With another number of keys than rows.
  TileGrid(std::int64_t rows, std::int64_t keys, std::int64_t block_q, std::int64_t block_k,
           bool causal)
      : length_(rows), keys_(keys), block_q_(block_q), block_k_(block_k), causal_(causal) {}

  [[nodiscard]] std::int64_t query_tiles() const { return tiles(length_, block_q_); }
  [[nodiscard]] std::int64_t key_tiles() const { return tiles(keys_, block_k_); }
  // Keys that any row of the tile sees, as keys_seen() of the kernel.
  [[nodiscard]] std::int64_t key_end(std::int64_t query_tile) const;
  [[nodiscard]] std::int64_t key_tiles_of(std::int64_t query_tile) const;  // that run
  [[nodiscard]] TileKind kind(std::int64_t query_tile, std::int64_t key_tile) const;

  struct Counts {
    std::int64_t full = 0, masked = 0, skipped = 0;
    [[nodiscard]] std::int64_t run() const { return full + masked; }
  };
  [[nodiscard]] Counts counts() const;

  // The tile that runs as number `turn`, from 0 to counts().run() - 1.
  struct Place {
    std::int64_t query_tile = 0, key_tile = 0;
  };
  [[nodiscard]] Place place(std::int64_t turn) const;
  [[nodiscard]] std::int64_t turn(Place place) const;  // of a tile that runs

  // Pairs of query and key in the tiles that run, whole tiles counted, and those that the result
  // needs. The rest is computed for nothing: masked, or behind the last row.
  [[nodiscard]] double computed_pairs() const;
  [[nodiscard]] double needed_pairs() const;
  // The share of the computed pairs, 0 to 1.
  [[nodiscard]] double wasted_share() const { return 1 - needed_pairs() / computed_pairs(); }

 private:
  static std::int64_t tiles(std::int64_t length, std::int64_t block) {
    return (length + block - 1) / block;
  }
  std::int64_t length_, keys_, block_q_, block_k_;
  bool causal_;
};

}  // namespace ts::stepper
