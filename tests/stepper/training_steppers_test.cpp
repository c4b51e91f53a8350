// AdamW beside its sums, the allocator beside what was measured on a card, and checkpointing beside
// its formula and what is live in a plain stack.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "tests/stepper/chosen.h"

namespace ts::stepper {
namespace {

// m and v as weighted sums of all gradients, not as they are kept from step to step.
TEST(AdamW, MomentsAreWeightedSumsOfTheGradients) {
  const AdamW walk = testing::walk<AdamW>(
      "adamw", {"steps=40", "noise_percent=80", "decay_thousandths=50", "lr_millionths=20000"});
  double p = 1;
  for (std::size_t t = 1; t < walk.steps(); ++t) {
    double m = 0, v = 0;
    for (std::size_t i = 1; i <= t; ++i) {
      const double g = walk.state(i).g, age = static_cast<double>(t - i);
      m += 0.1 * std::pow(0.9, age) * g;
      v += 0.001 * std::pow(0.999, age) * g * g;
    }
    const auto time = static_cast<double>(t);
    m /= 1 - std::pow(0.9, time);
    v /= 1 - std::pow(0.999, time);
    p = p * (1 - 0.02 * 0.05) - 0.02 * m / (std::sqrt(v) + 1e-8);
    ASSERT_NEAR(walk.state(t).p, p, 1e-12) << t;
  }
}

TEST(AdamW, TheFirstUpdateIsTheLearningRateWhateverTheGradient) {
  for (const char* const noise : {"noise_percent=0", "noise_percent=300"}) {
    const AdamW walk = testing::walk<AdamW>("adamw", {"steps=3", noise, "lr_millionths=1000"});
    EXPECT_NEAR(std::abs(walk.state(1).update), 0.001, 1e-9);
  }
}

TEST(Checkpoints, ThePeakIsTheFormulaWhereTheSegmentsAreEqual) {
  for (int layers = 1; layers <= 48; ++layers) {
    for (int segment = 1; segment <= layers; ++segment) {
      const std::string set_layers = "layers=" + std::to_string(layers);
      const std::string set_segment = "segment=" + std::to_string(segment);
      const Checkpoints walk =
          testing::walk<Checkpoints>("checkpoints", {set_layers.c_str(), set_segment.c_str()});
      ASSERT_LE(walk.peak(), walk.formula());
      if (layers % segment == 0) {
        ASSERT_EQ(walk.peak(), layers / segment + segment - 1);
      }
      // Each layer runs forward twice and backward once, with its input live.
      ASSERT_EQ(walk.steps(), 1U + 3U * static_cast<std::size_t>(layers));
      for (std::size_t i = 1; i < walk.steps(); ++i) {
        const Checkpoints::State& now = walk.state(i);
        if (now.phase == Checkpoints::Phase::forward) continue;
        ASSERT_NE(now.inputs[static_cast<std::size_t>(now.layer)], Checkpoints::Input::gone);
      }
    }
  }
}

TEST(Checkpoints, TheRootOfTheLayersIsTheBestSegment) {
  std::int64_t best = 1000;
  std::int64_t of_root = 0;
  for (int segment = 1; segment <= 36; ++segment) {
    const std::string set = "segment=" + std::to_string(segment);
    const auto peak = testing::walk<Checkpoints>("checkpoints", {"layers=36", set.c_str()}).peak();
    best = std::min(best, peak);
    if (segment == 6) of_root = peak;
  }
  EXPECT_EQ(best, 11);
  EXPECT_EQ(of_root, best);
}

// https://github.com/pytorch/pytorch/pull/193400: MiB after the cycles 0, 20, ... 100, measured.
TEST(CachedCycles, ReserveWhatWasMeasured) {
  const CachedCycles walk = testing::walk<CachedCycles>("reserved", {});
  const std::pair<std::size_t, std::int64_t> measured[] = {{0, 220},   {20, 2980},  {40, 5760},
                                                           {60, 8520}, {80, 11300}, {100, 14060}};
  for (const auto& [cycle, reserved] : measured) {
    const CachedCycles::State& now = walk.state(cycle + 1);
    EXPECT_EQ(now.parts.reserved, reserved << 20) << cycle;
    EXPECT_EQ(now.parts.requested, static_cast<std::int64_t>(66 + 2 * cycle) << 20);
  }
  ASSERT_EQ(walk.steps(), 102U);
  for (std::size_t i = 0; i < walk.steps(); ++i) {
    const allocator::ReservedParts& parts = walk.state(i).parts;
    ASSERT_EQ(parts.sum(), parts.gap());
    ASSERT_EQ(what_ifs(walk.requests(i)).front().played.parts, parts);
  }
}

TEST(CachedCycles, StayBelow500MebibytesWithoutOneOfTheTwo) {
  for (const char* const other : {"expandable=0", "max_split_mib=0", "kept_mib=0"}) {
    const CachedCycles walk = testing::walk<CachedCycles>("reserved", {other});
    EXPECT_LT(walk.peak(), std::int64_t{500} << 20) << other;
  }
  const CachedCycles emptied = testing::walk<CachedCycles>("reserved", {"empty_every=10"});
  EXPECT_LT(emptied.peak(), testing::walk<CachedCycles>("reserved", {}).peak());
}

}  // namespace
}  // namespace ts::stepper
