#include "core/stats/paired.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace ts::stats {
namespace {

// Times of A and B by turns, with noise and a drift that both share.
struct Times {
  std::vector<double> a, b;
};
Times times(int pairs, double ratio, double noise, double drift, unsigned seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> spread(0, noise);
  Times out;
  for (int i = 0; i < pairs; ++i) {
    const double now = 10 * (1 + drift * i / pairs);
    out.a.push_back(now * spread(random));
    out.b.push_back(now * ratio * spread(random));
  }
  return out;
}

PairVerdict verdict(int pairs, double ratio, double noise, double drift, unsigned seed = 1) {
  const Times t = times(pairs, ratio, noise, drift, seed);
  return paired_ratio(t.a, t.b).verdict;
}

TEST(PairedRatio, tells_a_difference_and_its_sign) {
  EXPECT_EQ(verdict(40, 0.9, 0.02, 0), PairVerdict::faster);
  EXPECT_EQ(verdict(40, 1.1, 0.02, 0), PairVerdict::slower);
  EXPECT_EQ(verdict(400, 1.0, 0.02, 0), PairVerdict::same);
}

TEST(PairedRatio, a_drift_of_both_drops_out) {
  EXPECT_EQ(verdict(40, 0.95, 0.01, 2), PairVerdict::faster);
  EXPECT_EQ(verdict(400, 1.0, 0.02, 2), PairVerdict::same);
}

TEST(PairedRatio, does_not_guess) {
  EXPECT_EQ(verdict(9, 0.5, 0.01, 0), PairVerdict::unclear) << "too few";
  EXPECT_EQ(verdict(12, 1.0, 0.5, 0), PairVerdict::unclear) << "too noisy";
  EXPECT_EQ(paired_ratio({}, {}).pairs, 0);
}

TEST(PairedRatio, equal_things_are_rarely_called_different) {
  int wrong = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const PairVerdict said = verdict(20, 1.0, 0.05, 0.3, seed);
    wrong += said == PairVerdict::faster || said == PairVerdict::slower ? 1 : 0;
  }
  EXPECT_LE(wrong, 50);
}

TEST(PairedRatio, is_the_median_of_ratios_not_the_ratio_of_medians) {
  const std::vector<double> a = {1, 10, 100};
  const std::vector<double> b = {2, 20, 50};
  EXPECT_DOUBLE_EQ(paired_ratio(a, b).median, 2);
  EXPECT_FALSE(paired_ratio(a, b).ci95);
}

}  // namespace
}  // namespace ts::stats
