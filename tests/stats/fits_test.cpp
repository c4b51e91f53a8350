#include "core/stats/fits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/stats/student_t.h"

namespace ts::stats {
namespace {

using Values = std::vector<double>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(StudentT, TableValues) {
  // Abramowitz and Stegun, table 26.10.
  EXPECT_NEAR(student_t95(1), 12.706, 5e-4);
  EXPECT_NEAR(student_t95(2), 4.303, 5e-4);
  EXPECT_NEAR(student_t95(3), 3.182, 5e-4);
  EXPECT_NEAR(student_t95(10), 2.228, 5e-4);
  EXPECT_NEAR(student_t95(120), 1.980, 5e-4);
  EXPECT_NEAR(student_t95(2'000'000'000), 1.960, 5e-5);
}

TEST(FitPowerLaw, ExactPowersHaveNoResidual) {
  const Values x = {256, 512, 1024, 2048};
  Values y;
  for (const double value : x) y.push_back(3e-6 * value * value);
  const auto fit = fit_power_law(x, y);
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(fit->slope, 2, 1e-12);
  EXPECT_NEAR(fit->factor, 3e-6, 1e-15);
  EXPECT_NEAR(*fit->r2, 1, 1e-12);
  EXPECT_NEAR(fit->ci95->low, 2, 1e-9);
  EXPECT_NEAR(fit->at(4096), 3e-6 * 4096 * 4096, 1e-9);
}

TEST(FitPowerLaw, TwoPointsHaveNoInterval) {
  const auto fit = fit_power_law(Values{1, 10}, Values{5, 50});
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(fit->slope, 1, 1e-12);
  EXPECT_FALSE(fit->ci95.has_value());
}

TEST(FitPowerLaw, NothingToFit) {
  EXPECT_FALSE(fit_power_law(Values{}, Values{}).has_value());
  EXPECT_FALSE(fit_power_law(Values{512}, Values{1}).has_value());
  EXPECT_FALSE(fit_power_law(Values{512, 512}, Values{1, 2}).has_value());
  EXPECT_FALSE(fit_power_law(Values{1, 2, 4}, Values{0, kNaN, -1}).has_value());
  EXPECT_FALSE(fit_power_law(Values{1, kInfinity, 4}, Values{kNaN, 1, 3}).has_value());
}

TEST(FitPowerLaw, EqualValuesHaveSlopeZeroAndNothingToExplain) {
  const auto fit = fit_power_law(Values{1, 2, 3}, Values{0.1, 0.1, 0.1});
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->slope, 0);
  EXPECT_FALSE(fit->r2.has_value());
}

TEST(FitPowerLaw, PointsWithoutALogarithmAreLeftOut) {
  const auto fit = fit_power_law(Values{1, 2, 0, 4, 8}, Values{2, 4, 5, kNaN, 16});
  ASSERT_TRUE(fit.has_value());
  EXPECT_EQ(fit->n, 3);
  EXPECT_NEAR(fit->slope, 1, 1e-12);
  EXPECT_TRUE(std::isnan(fit->residuals[2]));
  EXPECT_TRUE(std::isnan(fit->residuals[3]));
  EXPECT_NEAR(fit->residuals[4], 0, 1e-12);
}

std::vector<CurvePoint> exact(const Values& x, const Values& y) {
  std::vector<CurvePoint> curve;
  for (std::size_t i = 0; i < x.size(); ++i) curve.push_back({x[i], y[i], y[i], y[i]});
  return curve;
}

TEST(Crossovers, WhereTwoPowerLawsMeet) {
  // x^2 / 400 and x meet at 400.
  const auto naive = exact({100, 200, 800, 1600}, {25, 100, 1600, 6400});
  const auto flash = exact({100, 200, 800, 1600}, {100, 200, 800, 1600});
  const auto found = crossovers(naive, flash);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].at, 400, 1e-9);
  EXPECT_EQ(found[0].before, 200);
  EXPECT_EQ(found[0].after, 800);
  EXPECT_TRUE(found[0].second_is_lower_after);
  EXPECT_FALSE(crossovers(flash, naive)[0].second_is_lower_after);
}

TEST(Crossovers, OverlappingIntervalsDecideNothing) {
  const std::vector<CurvePoint> first = {{1, 1, 0.9, 1.1}, {2, 2, 1.5, 2.5}, {4, 4, 3.9, 4.1}};
  const std::vector<CurvePoint> close = {{1, 2, 1.9, 2.1}, {2, 1.9, 1.6, 2.2}, {4, 5, 4.9, 5.1}};
  EXPECT_TRUE(crossovers(first, close).empty()) << "ahead, tied, ahead again";
  const std::vector<CurvePoint> overtakes = {{1, 2, 1.9, 2.1}, {2, 1.9, 1.6, 2.2}, {4, 3, 2, 3.1}};
  const auto found = crossovers(first, overtakes);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].before, 1);
  EXPECT_EQ(found[0].after, 4);
  EXPECT_GT(found[0].at, 1);
  EXPECT_LT(found[0].at, 2) << "the medians cross before 2";
}

TEST(Crossovers, EqualCurvesAndDisjointCurves) {
  const auto curve = exact({1, 2, 4}, {3, 2, 1});
  EXPECT_TRUE(crossovers(curve, curve).empty());
  EXPECT_TRUE(crossovers(curve, exact({3, 5}, {1, 9})).empty());
  EXPECT_TRUE(crossovers({}, curve).empty());
  EXPECT_TRUE(crossovers(exact({1, 2}, {kNaN, 1}), exact({1, 2}, {2, 2})).empty());
}

TEST(Crossovers, ATieInBetweenIsTheCrossing) {
  const auto found = crossovers(exact({1, 2, 4}, {1, 2, 4}), exact({1, 2, 4}, {2, 2, 2}));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].at, 2, 1e-12);
}

TEST(Saturation, FirstGainBelowTenPercent) {
  const auto knee = saturation(Values{1, 2, 4, 8, 16}, Values{100, 190, 300, 320, 325});
  ASSERT_TRUE(knee.has_value());
  EXPECT_EQ(knee->at, 8);
  EXPECT_EQ(knee->y, 320);
  EXPECT_NEAR(knee->gain, 320.0 / 300 - 1, 1e-12);
}

TEST(Saturation, OneSlowPointIsNoKnee) {
  EXPECT_FALSE(saturation(Values{1, 2, 4, 8}, Values{100, 90, 400, 800}).has_value());
  EXPECT_EQ(saturation(Values{1, 2, 4, 8, 16}, Values{100, 90, 400, 410, 405})->at, 8);
}

TEST(Saturation, CountsPerDoubling) {
  // 40 % over two doublings is 18 % each: still growing.
  EXPECT_FALSE(saturation(Values{1, 4}, Values{100, 140}).has_value());
  EXPECT_TRUE(saturation(Values{1, 4}, Values{100, 115}).has_value());
}

TEST(Saturation, NothingToSay) {
  EXPECT_FALSE(saturation(Values{}, Values{}).has_value());
  EXPECT_FALSE(saturation(Values{4}, Values{100}).has_value());
  EXPECT_FALSE(saturation(Values{1, 2, 4}, Values{100, 200, 400}).has_value());
  EXPECT_FALSE(saturation(Values{1, 2}, Values{kNaN, 200}).has_value());
}

}  // namespace
}  // namespace ts::stats
