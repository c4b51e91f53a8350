// AdamW beside its sums, and checkpointing beside its formula and what is live in a plain stack.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

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

}  // namespace
}  // namespace ts::stepper
