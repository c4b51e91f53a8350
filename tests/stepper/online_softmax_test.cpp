// Online softmax: exact after every block and in any order; without its tail it is not.
#include "core/stepper/online_softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/stepper/chosen.h"

namespace ts::stepper {
namespace {

using Softmax = OnlineSoftmax;

TEST(OnlineSoftmax, ExactAfterEveryBlockInAnyOrder) {
  const Softmax straight = testing::walk<Softmax>("softmax", {"keys=100", "block_k=16"});
  const Softmax::State& end = straight.state(straight.steps() - 1);
  for (const char* const order : {"order=0", "order=1", "order=2", "order=77"}) {
    for (const char* const causal : {"causal=0", "causal=1"}) {
      const Softmax one =
          testing::walk<Softmax>("softmax", {"keys=100", "block_k=16", order, causal, "query=50"});
      for (std::size_t step = 1; step < one.steps(); ++step)
        EXPECT_LT(one.state(step).error_seen, 1e-14) << order << " step " << step;
      EXPECT_LT(one.state(one.steps() - 1).error_all, 1e-14);
      if (std::string(causal) == "causal=1") continue;
      EXPECT_NEAR(one.state(one.steps() - 1).l, end.l, 1e-12);
      EXPECT_EQ(one.state(one.steps() - 1).m, end.m);
    }
  }
}

TEST(OnlineSoftmax, TheMaximumNeverFallsAndTheSumIsThatOfTheWeights) {
  const Softmax one = testing::walk<Softmax>("softmax", {"keys=64", "block_k=5", "order=3"});
  for (std::size_t step = 1; step + 1 < one.steps(); ++step) {
    const Softmax::State& now = one.state(step);
    EXPECT_GE(now.m, one.state(step - 1).m);
    double sum = 0, largest = 0;
    for (const double weight : now.weights) {
      sum += weight;
      largest = std::max(largest, weight);
    }
    EXPECT_NEAR(sum, now.l, 1e-12);
    EXPECT_NEAR(largest, 1, 1e-15) << "the largest score has the weight 1";
  }
}

TEST(OnlineSoftmax, MaskedBlocksAreSkipped) {
  const Softmax one =
      testing::walk<Softmax>("softmax", {"keys=16", "block_k=4", "causal=1", "query=9"});
  EXPECT_EQ(one.steps(), 2U + 3);  // keys 0 to 9 are in three blocks
  EXPECT_EQ(one.visible(), 10);
}

// E-39: a floor division drops what does not fill a block.
TEST(OnlineSoftmax, ADroppedTailIsAnError) {
  const Softmax one = testing::walk<Softmax>("softmax", {"keys=18", "block_k=4", "drop_tail=1"});
  const Softmax::State& end = one.state(one.steps() - 1);
  EXPECT_LT(end.error_seen, 1e-14);
  EXPECT_GT(end.error_all, 1e-3);
  const Softmax none = testing::walk<Softmax>("softmax", {"keys=3", "block_k=4", "drop_tail=1"});
  EXPECT_EQ(none.steps(), 2U);
  EXPECT_EQ(none.state(1).acc[0], 0);
}

}  // namespace
}  // namespace ts::stepper
