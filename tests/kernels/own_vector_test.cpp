// The exponential of our kernels, in vectors of four numbers, which every processor has.
#include "kernels/own/vector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ts::kernels::own {
namespace {

float exp_of(float x) {
  return exp(all(x))[kLanes - 1];
}

TEST(VectorExp, KeepsItsErrorBound) {
  double largest = 0;
  for (float x = -87.3F; x < 80; x += 1.7e-4F) {
    const double exact = std::exp(static_cast<double>(x));
    largest = std::max(largest, std::abs(static_cast<double>(exp_of(x)) / exact - 1));
  }
  EXPECT_LT(largest, 2e-7);
  EXPECT_EQ(exp_of(0), 1);
}

TEST(VectorExp, EndsInZeroAndKeepsNaN) {
  EXPECT_EQ(exp_of(-87.34F), 0);
  EXPECT_EQ(exp_of(-1e30F), 0);
  EXPECT_EQ(exp_of(-std::numeric_limits<float>::infinity()), 0);
  EXPECT_TRUE(std::isnan(exp_of(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace ts::kernels::own
