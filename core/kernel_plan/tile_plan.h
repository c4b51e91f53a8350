#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/spec/gpu_catalogue.h"
#include "core/stats/occupancy.h"
#include "core/stepper/tile_budget.h"
#include "core/stepper/tile_grid.h"

// Tile sizes of the forward of attention on a card, by a model: nothing is measured here.
namespace ts::kernel_plan {

// One attention: all heads of a batch. Numbers of 2 bytes run on tensor cores, of 4 on the others.
struct Attention {
  std::int64_t length = 4096, heads = 16;
  bool causal = false;
};

enum class Limit : std::uint8_t { memory, arithmetic };

// Numbers that follow from tile sizes on a card. A warp has 16 rows of Q, as mma.sync has.
struct PlannedTiles {
  stepper::TileSizes sizes = {};
  std::int64_t shared = 0;  // bytes of a block
  bool fits = false;        // shared memory, threads of a block, and registers for its sums
  int registers = 0;        // of the sums alone: O and the scores, a thread; more are needed
  // At most: with the registers of the sums alone.
  std::optional<stats::Occupancy> occupancy = {};
  std::int64_t passes = 0;  // over K and V: tiles of Q
  double bytes = 0;         // of global memory, as if no cache held a tile for two blocks
  double flops = 0;         // of the tiles that run
  double wasted = 0;        // share of the computed pairs that the result does not need
  // The larger of both times; unset where the card's peak is not known.
  std::optional<double> seconds = {};
  Limit limit = Limit::memory;
};

PlannedTiles plan_of(const spec::Gpu& gpu, const Attention& attention,
                     const stepper::TileSizes& sizes);

// All tiles of 16, 32, 64, 128 and 256 rows for the head, element and stages of `sizes`, the best
// first: what fits by its time, then by occupancy, then by shared memory.
std::vector<PlannedTiles> sweep_tiles(const spec::Gpu& gpu, const Attention& attention,
                                      const stepper::TileSizes& sizes);

// Why one is not better than the best.
enum class Why : std::uint8_t { best, does_not_fit, traffic, waste, occupancy, as_good };
Why why(const PlannedTiles& one, const PlannedTiles& best);

}  // namespace ts::kernel_plan
