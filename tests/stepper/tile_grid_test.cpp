// The tiles that a kernel computes, counted one by one, and in the order of the stepper.
#include "core/stepper/tile_grid.h"

#include <gtest/gtest.h>

#include "core/stepper/stepper.h"

namespace ts::stepper {
namespace {

struct Case {
  std::int64_t length, block_q, block_k;
  bool causal;
};
constexpr Case kCases[] = {{128, 32, 32, true}, {128, 32, 32, false}, {100, 16, 48, true},
                           {97, 48, 8, true},   {1, 64, 64, true},    {65, 64, 16, false},
                           {300, 7, 13, true},  {33, 8, 32, true}};

// Pairs that a row may see, of each tile.
TEST(TileGrid, KindsAreThoseOfTheirPairs) {
  for (const Case& one : kCases) {
    const TileGrid grid(one.length, one.block_q, one.block_k, one.causal);
    TileGrid::Counts counts;
    double needed = 0;
    for (std::int64_t i = 0; i < grid.query_tiles(); ++i) {
      for (std::int64_t j = 0; j < grid.key_tiles(); ++j) {
        std::int64_t seen = 0, pairs = 0;
        for (std::int64_t q = i * one.block_q; q < std::min(one.length, (i + 1) * one.block_q); ++q)
          for (std::int64_t k = j * one.block_k; k < std::min(one.length, (j + 1) * one.block_k);
               ++k) {
            ++pairs;
            seen += !one.causal || k <= q ? 1 : 0;
          }
        const TileKind expected = seen == 0       ? TileKind::skipped
                                  : seen == pairs ? TileKind::full
                                                  : TileKind::masked;
        EXPECT_EQ(grid.kind(i, j), expected) << one.length << " " << i << " " << j;
        ++(expected == TileKind::skipped  ? counts.skipped
           : expected == TileKind::masked ? counts.masked
                                          : counts.full);
        needed += static_cast<double>(seen);
      }
    }
    EXPECT_EQ(grid.counts().full, counts.full);
    EXPECT_EQ(grid.counts().masked, counts.masked);
    EXPECT_EQ(grid.counts().skipped, counts.skipped);
    EXPECT_EQ(grid.needed_pairs(), needed);
    EXPECT_GE(grid.computed_pairs(), needed);
  }
}

// The stepper computes tile after tile; the map says the same order.
TEST(TileGrid, OrderIsThatOfTheStepper) {
  for (const Case& one : kCases) {
    if (one.block_q < 8 || one.block_k < 8) continue;
    calculate::Chosen chosen("tiles", steppers()[0].inputs);
    for (const auto& [name, value] : {std::pair{"T", one.length},
                                      {"block_q", one.block_q},
                                      {"block_k", one.block_k},
                                      {"causal", std::int64_t{one.causal}},
                                      {"d_head", std::int64_t{1}}}) {
      ASSERT_TRUE(chosen.set(name, std::to_string(value)));
    }
    const TiledAttention walk(chosen);
    const TileGrid grid(one.length, one.block_q, one.block_k, one.causal);
    std::int64_t turn = 0;
    for (std::size_t i = 0; i < walk.steps(); ++i) {
      const auto& step = walk.step(i);
      if (step.action != TiledAttention::Action::load_keys) continue;
      const auto place = grid.place(turn);
      EXPECT_EQ(place.query_tile, step.query_tile);
      EXPECT_EQ(place.key_tile, step.key_tile);
      EXPECT_EQ(grid.turn(place), turn);
      ++turn;
    }
    EXPECT_EQ(turn, grid.counts().run());
  }
}

}  // namespace
}  // namespace ts::stepper
