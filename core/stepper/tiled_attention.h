#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/calculate/figure.h"
#include "core/stepper/tile_budget.h"
#include "core/stepper/tile_grid.h"

namespace ts::stepper {

// The forward of FlashAttention-2 (Dao 2023, arXiv 2307.08691, algorithm 1) for one head, tile by
// tile, in the loop order of our kernels (kernels/own, kernels/own_cuda: the tiled stage): for each
// tile of Q all tiles of K and V that one of its rows sees. What blocks of a GPU do side by side
// happens here one after the other. Computed in fp32 on seeded numbers, as the kernel does.
// With drop_tail as code does that finds the number of tiles by a division that rounds down: rows
// and keys that fill no tile are left out, and the output of those rows stays 0. One tile remains.
class TiledAttention {
 public:
  // Inputs T, d_head, block_q, block_k, causal, element_bytes, stages, drop_tail, seed.
  explicit TiledAttention(const calculate::Chosen& chosen);

  enum class Action : std::uint8_t { load_queries, load_keys, write };
  struct Step {
    Action action = Action::load_queries;
    std::int64_t query_tile = 0;
    std::int64_t key_tile = -1;  // -1: none
    // Bytes of global memory since the beginning, with this step. Elements have element_bytes, the
    // logarithms of the sums 4. Whole tiles are loaded, as by the kernel.
    std::int64_t read = 0;
    std::int64_t written = 0;
  };
  using Tile = TileKind;

  // The rows of a tile of Q after a step; m, l and acc as in algorithm 1.
  struct Rows {
    std::int64_t first = 0, count = 0;  // rows of Q
    std::int64_t first_key = 0, keys = 0;
    std::vector<float> m, l;    // [count]
    std::vector<float> shrink;  // exp(m before - m): what l and acc were multiplied by
    std::vector<float> acc;     // [count][d_head]; the output after `write`
    std::vector<float> scores;  // [count][keys] of the tile of K; minus infinity where masked
  };

  [[nodiscard]] std::size_t steps() const { return steps_.size(); }
  [[nodiscard]] const Step& step(std::size_t index) const { return steps_[index]; }
  [[nodiscard]] std::int64_t query_tiles() const { return grid_.query_tiles(); }
  [[nodiscard]] std::int64_t key_tiles() const { return grid_.key_tiles(); }
  [[nodiscard]] Tile tile(std::int64_t query_tile, std::int64_t key_tile) const {
    return grid_.kind(query_tile, key_tile);
  }
  [[nodiscard]] std::int64_t length() const { return length_; }
  // Rows at the end that no tile has.
  [[nodiscard]] std::int64_t dropped_rows() const { return length_ - rows_in_tiles_; }
  [[nodiscard]] std::int64_t head_size() const { return d_; }

  // Valid until the next call. Steps forward cost one tile, steps back a tile of Q from its begin.
  const Rows& rows(std::size_t index);
  // For a tile of Q whose output is written: the largest difference from softmax of whole rows
  // in fp64.
  // Kept once it is known.
  double error(std::int64_t query_tile);

  // Global memory of naive attention, which writes and reads the scores and their softmax.
  struct Traffic {
    std::int64_t read = 0;
    std::int64_t written = 0;
    [[nodiscard]] std::int64_t all() const { return read + written; }
  };
  [[nodiscard]] Traffic naive() const;
  [[nodiscard]] const TileSizes& sizes() const { return sizes_; }

  std::vector<double> row(std::size_t index);
  base::Message said(std::size_t index);
  std::vector<calculate::Figure> figures();

 private:
  [[nodiscard]] float score(std::int64_t query, std::int64_t key) const;
  void begin_rows(std::int64_t query_tile);
  void add_tile(std::int64_t key_tile);
  void divide();
  double computed_error(std::int64_t query_tile);
  [[nodiscard]] double error_of_dropped() const;
  // Softmax of the whole row in fp64, times V.
  [[nodiscard]] std::vector<double> exact(std::int64_t query) const;

  TileSizes sizes_;
  std::int64_t length_, d_, block_q_, block_k_, element_bytes_;
  std::int64_t rows_in_tiles_, keys_in_tiles_;  // length_, or less with drop_tail
  bool causal_;
  TileGrid grid_;
  std::vector<float> q_, k_, v_;  // [length][d]
  std::vector<Step> steps_;
  Rows rows_;
  std::size_t at_ = 0;          // rows_ are those after this step
  std::vector<double> errors_;  // of the tiles of Q; NaN: not known yet
};

}  // namespace ts::stepper
