#include "core/stats/quantiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/stats/golden.h"

namespace ts::stats {
namespace {

constexpr double kInfiniteSample = std::numeric_limits<double>::infinity();
constexpr double kMissingSample = std::numeric_limits<double>::quiet_NaN();
constexpr double kMost = std::numeric_limits<double>::max();

// 1, 2, ... n: a value is its own rank.
std::vector<double> ranks(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(QuantileSorted, IsTypeSeven) {
  // Hyndman and Fan's definition: (n - 1) q is the place between the order statistics.
  const std::vector<double> values = {1, 2, 4, 8, 16};
  EXPECT_DOUBLE_EQ(quantile_sorted(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile_sorted(values, 0.25), 2);
  EXPECT_DOUBLE_EQ(quantile_sorted(values, 0.5), 4);
  EXPECT_DOUBLE_EQ(quantile_sorted(values, 0.9), 8 + 0.6 * 8);
  EXPECT_DOUBLE_EQ(quantile_sorted(values, 1), 16);
  EXPECT_DOUBLE_EQ(quantile_sorted(std::vector<double>{3, 5}, 0.5), 4);
}

TEST(QuantileSorted, OneValueIsEveryQuantile) {
  for (const double q : {0.0, 0.3, 0.5, 1.0}) {
    EXPECT_EQ(quantile_sorted(std::vector<double>{7}, q), 7);
  }
}

TEST(QuantileSorted, StaysWithinItsNeighbours) {
  EXPECT_EQ(quantile_sorted(std::vector<double>{0.1, 0.1, 0.1, 0.1}, 0.37), 0.1);
  EXPECT_EQ(quantile_sorted(std::vector<double>{-kMost, kMost}, 0.5), 0);
  EXPECT_EQ(quantile_sorted(std::vector<double>{kInfiniteSample, kInfiniteSample}, 0.5),
            kInfiniteSample);
  EXPECT_EQ(quantile_sorted(std::vector<double>{1, 2, kInfiniteSample}, 0.5), 2);
}

TEST(MedianConfidence, AgreesWithExactBinomials) {
  std::size_t rank = 0;
  for (std::size_t n = 1; n <= golden::kLast; ++n) {
    while (rank < golden::kRankStarts.size() && golden::kRankStarts[rank] == n) ++rank;
    const auto interval = median_ci95(ranks(n));
    ASSERT_EQ(interval.has_value(), rank > 0) << n;
    if (!interval) continue;
    ASSERT_EQ(interval->low, static_cast<double>(rank)) << n;
    ASSERT_EQ(interval->high, static_cast<double>(n + 1 - rank)) << n;
  }
}

TEST(MedianConfidence, AgreesWithExactBinomialsForManySamples) {
  for (const golden::Spot& spot : golden::kSpots) {
    const auto interval = median_ci95(ranks(spot.n));
    ASSERT_TRUE(interval.has_value());
    EXPECT_EQ(interval->low, static_cast<double>(spot.rank)) << spot.n;
    EXPECT_EQ(interval->high, static_cast<double>(spot.n + 1 - spot.rank)) << spot.n;
  }
}

TEST(MedianConfidence, NeedsSixSamples) {
  EXPECT_FALSE(median_ci95({}).has_value());
  EXPECT_FALSE(median_ci95(ranks(5)).has_value());
  EXPECT_TRUE(median_ci95(ranks(6)).has_value());
}

TEST(Summarise, NothingComesOfNothing) {
  EXPECT_FALSE(summarise({}).has_value());
  EXPECT_FALSE(summarise({kMissingSample, kInfiniteSample, -kInfiniteSample}).has_value());
}

TEST(Summarise, OneSample) {
  const auto summary = summarise({2.5});
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->n, 1);
  for (const double value :
       {summary->min, summary->q1, summary->median, summary->q3, summary->max, summary->mean}) {
    EXPECT_EQ(value, 2.5);
  }
  EXPECT_EQ(summary->std, 0);
  EXPECT_FALSE(summary->ci95.has_value());
  EXPECT_FALSE(summary->p90.has_value());
  EXPECT_FALSE(summary->p99.has_value());
  EXPECT_EQ(summary->outliers, 0);
}

TEST(Summarise, EqualSamples) {
  const auto summary = summarise(std::vector<double>(200, 0.1));
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->mean, 0.1);
  EXPECT_EQ(summary->std, 0);
  EXPECT_EQ(summary->ci95->low, 0.1);
  EXPECT_EQ(summary->ci95->high, 0.1);
  EXPECT_EQ(summary->p90, 0.1);
  EXPECT_EQ(summary->p99, 0.1);
  EXPECT_EQ(summary->outliers, 0);
}

TEST(Summarise, LeavesOutWhatIsNotFinite) {
  const auto summary = summarise({3, kMissingSample, 1, kInfiniteSample, 2, -kInfiniteSample});
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->n, 3);
  EXPECT_EQ(summary->min, 1);
  EXPECT_EQ(summary->median, 2);
  EXPECT_EQ(summary->max, 3);
  EXPECT_EQ(summary->std, 1);
}

TEST(Summarise, SurvivesTheLargestNumbers) {
  const auto summary = summarise({-kMost, kMost, kMost, -kMost});
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->mean, 0);
  EXPECT_EQ(summary->median, 0);
  EXPECT_EQ(summary->outliers, 0);
}

TEST(Summarise, PercentilesNeedEnoughSamples) {
  EXPECT_FALSE(summarise(ranks(9))->p90.has_value());
  EXPECT_TRUE(summarise(ranks(10))->p90.has_value());
  EXPECT_FALSE(summarise(ranks(99))->p99.has_value());
  EXPECT_TRUE(summarise(ranks(100))->p99.has_value());
}

TEST(Summarise, CountsOutliersAboveOnly) {
  // q1 = 2, q3 = 4 of the eight around: the fence is at 10.
  std::vector<double> samples = {1, 2, 2, 3, 3, 4, 4, 5};
  EXPECT_EQ(summarise(samples)->outliers, 0);
  samples.push_back(1000);
  samples.push_back(-1000);
  EXPECT_EQ(summarise(samples)->outliers, 1);
  EXPECT_EQ(summarise(samples)->n, 10);
}

TEST(Converged, ComparesTheLastFiveWithTheFiveBefore) {
  std::vector<double> samples = {100, 100, 100, 100, 100, 102, 102, 102, 102, 102};
  EXPECT_TRUE(converged(samples));
  samples.back() = 500;  // one straggler does not move a median
  EXPECT_TRUE(converged(samples));
  std::fill(samples.begin() + 5, samples.end(), 102.1);
  EXPECT_FALSE(converged(samples));
  std::fill(samples.begin() + 5, samples.end(), 97.9);
  EXPECT_FALSE(converged(samples));
}

// Medians, in whatever order the samples came: the one in the middle is not it, nor the mean.
TEST(Converged, ComparesMediansOfWhatIsNotInOrder) {
  EXPECT_TRUE(converged(std::vector<double>{1, 1, 100, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_FALSE(converged(std::vector<double>{5, 4, 1, 3, 2, 1, 1, 1, 1, 1}));
  EXPECT_TRUE(converged(std::vector<double>{5, 4, 1, 3, 2, 1, 5, 2, 3, 4}));
}

TEST(Converged, LooksAtTheEndOnly) {
  std::vector<double> samples = {900, 500, 300};
  samples.insert(samples.end(), 10, 7.0);
  EXPECT_TRUE(converged(samples));
}

TEST(Converged, NeedsTenFiniteSamples) {
  EXPECT_FALSE(converged({}));
  EXPECT_FALSE(converged(std::vector<double>(9, 1.0)));
  EXPECT_TRUE(converged(std::vector<double>(10, 0.0)));
  std::vector<double> samples(10, 1.0);
  samples[7] = kMissingSample;
  EXPECT_FALSE(converged(samples));
  samples[7] = kInfiniteSample;
  EXPECT_FALSE(converged(samples));
}

}  // namespace
}  // namespace ts::stats
