// Tile sizes ranked by a model: its numbers by hand, what does not fit, and the reasons.
#include "core/kernel_plan/tile_plan.h"

#include <gtest/gtest.h>

#include "core/kernel_plan/tile_text.h"

namespace ts::kernel_plan {
namespace {

spec::Gpu card(const char* capability, double bandwidth = 2000) {
  spec::Gpu gpu;
  gpu.name = "card";
  gpu.compute_capability = capability;
  gpu.bandwidth_gb_s = bandwidth;
  gpu.fp32_tflops = 20;
  gpu.bf16_tflops = 300;
  return gpu;
}

stepper::TileSizes tiles(std::int64_t queries, std::int64_t keys, std::int64_t d_head = 64) {
  return {.d_head = d_head, .block_q = queries, .block_k = keys, .element_bytes = 2, .stages = 1};
}

TEST(TilePlan, NumbersOfOne) {
  const PlannedTiles plan =
      plan_of(card("8.0"), {.length = 128, .heads = 2, .causal = false}, tiles(64, 32));
  // Q and O, L, and K and V for each of two tiles of Q.
  EXPECT_EQ(plan.bytes, 2 * (2 * 128 * 64 * 2 + 4 * 128 + 2 * 2 * 128 * 64 * 2));
  EXPECT_EQ(plan.flops, 2 * 4.0 * 128 * 128 * 64);
  EXPECT_EQ(plan.wasted, 0);
  EXPECT_EQ(plan.passes, 2);
  EXPECT_EQ(plan.registers, (64 + 32) / 2);
  EXPECT_EQ(plan.shared, 2 * 64 * (64 + 2 * 32) + 4 * 64 * 32);
  ASSERT_TRUE(plan.seconds);
  EXPECT_DOUBLE_EQ(*plan.seconds, plan.bytes / 2000e9);  // 32 FLOP a byte, the ridge is at 150
  EXPECT_EQ(plan.limit, Limit::memory);
}

// Four tiles of 64 x 64 on or below the diagonal of two by two, of which 128 * 129 / 2 pairs count.
TEST(TilePlan, MaskedPairsAreWaste) {
  const PlannedTiles plan =
      plan_of(card("8.0"), {.length = 128, .heads = 1, .causal = true}, tiles(64, 64));
  EXPECT_DOUBLE_EQ(plan.wasted, 1 - 128 * 129 / 2.0 / (3 * 64 * 64));
  EXPECT_EQ(plan.bytes, 2 * 128 * 64 * 2 + 4 * 128 + 2.0 * (64 + 128) * 64 * 2);
}

TEST(TilePlan, WhatDoesNotFit) {
  const Attention attention{.length = 4096, .heads = 16, .causal = false};
  // 100 KiB less what the driver reserves, as for the stepper.
  EXPECT_FALSE(plan_of(card("8.6"), attention, tiles(128, 128, 128)).fits);
  EXPECT_TRUE(plan_of(card("9.0"), attention, tiles(128, 128, 128)).fits);
  // 256 and 256 columns in fp32 are 256 registers a thread.
  EXPECT_FALSE(plan_of(card("9.0"), attention, tiles(16, 256, 256)).fits);
  EXPECT_FALSE(plan_of(card("1.0"), attention, tiles(16, 16)).fits) << "its limits are not known";
}

// A block's shared memory grows from 64 KiB to 227: the best tiles of the widest head grow, too.
TEST(TilePlan, TheWidestHeadFitsEveryCard) {
  const Attention attention{.length = 4096, .heads = 16, .causal = true};
  std::int64_t before = 0;
  for (const char* capability : {"7.5", "8.6", "8.0", "9.0"}) {
    const PlannedTiles best = sweep_tiles(card(capability), attention, tiles(64, 64, 256)).front();
    EXPECT_TRUE(best.fits) << capability;
    EXPECT_LE(best.shared, *stats::largest_shared_block(capability)) << capability;
    EXPECT_GE(best.sizes.block_q, before) << capability;
    before = best.sizes.block_q;
  }
}

// Every tile size is asked once; the best is what no other one beats.
TEST(TilePlan, TheBestIsTheBest) {
  for (const bool causal : {false, true}) {
    for (const double bandwidth : {300.0, 2000.0, 20000.0}) {
      const Attention attention{.length = 4096, .heads = 16, .causal = causal};
      const auto all = sweep_tiles(card("8.0", bandwidth), attention, tiles(64, 64));
      ASSERT_EQ(all.size(), 25U);
      for (const PlannedTiles& one : all) {
        if (one.fits) {
          EXPECT_LE(*all[0].seconds, *one.seconds);
        }
      }
      EXPECT_EQ(why(all[0], all[0]), Why::best);
      // Tiles that do not fit stand behind those that do.
      bool fits = true;
      for (const PlannedTiles& one : all) {
        EXPECT_FALSE(one.fits && !fits);
        fits = one.fits;
      }
    }
  }
}

TEST(TilePlan, Reasons) {
  const auto planned = [](double bandwidth, bool causal, std::int64_t queries, std::int64_t keys) {
    return plan_of(card("8.0", bandwidth), {.length = 4096, .heads = 16, .causal = causal},
                   tiles(queries, keys));
  };
  // A slow memory: fewer passes over K and V.
  EXPECT_EQ(why(planned(100, false, 16, 64), planned(100, false, 128, 64)), Why::traffic);
  // A fast one under a mask: fewer pairs for nothing.
  EXPECT_EQ(why(planned(1e6, true, 256, 64), planned(1e6, true, 64, 64)), Why::waste);
  // The same work, and more shared memory.
  EXPECT_EQ(why(planned(1e6, false, 64, 256), planned(1e6, false, 64, 32)), Why::occupancy);
  EXPECT_EQ(why(planned(1e6, false, 256, 256), planned(1e6, false, 64, 64)), Why::does_not_fit);
}

TEST(TilePlan, Sentences) {
  const auto all =
      sweep_tiles(card("8.0"), {.length = 4096, .heads = 16, .causal = false}, tiles(64, 64));
  const std::string best = best_sentence(all[0], "card", all.size()).sentence;
  EXPECT_EQ(best.rfind("By the model " + tiles_text(all[0]) + " is the best of 25 on card: ", 0),
            0U)
      << best;
  const PlannedTiles small =
      plan_of(card("8.0"), {.length = 4096, .heads = 16, .causal = false}, tiles(16, 16));
  EXPECT_NE(chosen_sentence(small, all[0]).sentence.find("K and V are read 256 times instead of"),
            std::string::npos)
      << chosen_sentence(small, all[0]).sentence;
  EXPECT_EQ(occupancy_text(small).substr(0, 4), "\xe2\x89\xa4 ");
}

}  // namespace
}  // namespace ts::kernel_plan
