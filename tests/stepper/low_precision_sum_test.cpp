// Rounding beside the compiler's own types, and the sums that the exercise prints.
#include "core/stepper/low_precision_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>

#include "core/text/numbers.h"
#include "tests/stepper/chosen.h"

namespace ts::stepper {
namespace {

LowPrecisionSum sums(std::initializer_list<const char*> settings) {
  return testing::walk<LowPrecisionSum>("sums", settings);
}

TEST(Rounded, IsTheCompilersFp32AndBf16ByBits) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> mantissa(-2, 2);
  std::uniform_int_distribution<int> exponent(-140, 100);
  for (int i = 0; i < 20'000; ++i) {
    const double x = std::ldexp(mantissa(random), exponent(random));
    ASSERT_EQ(rounded(x, kFp32), static_cast<double>(static_cast<float>(x))) << x;
    const auto single = static_cast<float>(x);
    auto bits = std::bit_cast<std::uint32_t>(single);
    bits = (bits + 0x7FFFU + ((bits >> 16U) & 1U)) & 0xFFFF0000U;
    ASSERT_EQ(rounded(double{single}, kBf16), double{std::bit_cast<float>(bits)}) << x;
  }
}

TEST(Rounded, Fp16AtItsEdges) {
  EXPECT_EQ(rounded(0.01, kFp16), 0.01000213623046875);
  EXPECT_EQ(rounded(2049, kFp16), 2048);
  EXPECT_EQ(rounded(2051, kFp16), 2052);
  EXPECT_EQ(rounded(std::ldexp(1.5, -24), kFp16), std::ldexp(2, -24)) << "subnormal, tie to even";
  EXPECT_EQ(spacing(1, kFp16), std::ldexp(1, -10));
  EXPECT_EQ(spacing(4, kBf16), std::ldexp(1, -5));
}

// A2-10 as published, and bf16, which stalls.
TEST(LowPrecisionSum, TheNumbersOfTheExercise) {
  const LowPrecisionSum sum = sums({});
  const LowPrecisionSum::Sums& end = sum.sums(sum.steps() - 1);
  EXPECT_EQ(text::fixed(end[0], 4), "10.0001");
  EXPECT_EQ(text::fixed(end[1], 4), "9.9531");
  EXPECT_EQ(end[2], 4);
  EXPECT_EQ(text::fixed(end[3], 4), "10.0021");
  EXPECT_EQ(sum.stalls_at(2), 351U);
  EXPECT_EQ(sum.stalls_at(1), 0U);
}

TEST(LowPrecisionSum, WhatIsLostIsAtMostHalfOfTheSpacing) {
  const LowPrecisionSum sum = sums({"additions=500", "thousandths=137"});
  for (std::size_t step = 1; step < sum.steps(); ++step) {
    for (std::size_t kind = 0; kind < LowPrecisionSum::kKinds.size(); ++kind) {
      const double half = spacing(sum.sums(step)[kind], LowPrecisionSum::kKinds[kind].sum) / 2;
      ASSERT_LE(std::abs(sum.lost(step, kind)), half) << step << " " << kind;
    }
  }
}

}  // namespace
}  // namespace ts::stepper
