#pragma once

#include <optional>
#include <span>
#include <vector>

namespace ts::stats {

// Linear interpolation between order statistics (R type 7, NumPy's default). `sorted` ascending and
// not empty; q in [0, 1].
double quantile_sorted(std::span<const double> sorted, double q);

struct Interval {
  double low = 0;
  double high = 0;
};
// Distribution-free 95 % confidence interval of the median from order statistics: the narrowest
// symmetric pair of ranks whose binomial(n, 1/2) coverage is at least 95 %. Unset below n = 6,
// where no such pair exists.
std::optional<Interval> median_ci95(std::span<const double> sorted);

// All statistics that the window shows for a set of samples.
struct Summary {
  int n = 0;
  double min = 0, q1 = 0, median = 0, q3 = 0, max = 0, mean = 0, std = 0;  // std: n - 1
  std::optional<Interval> ci95;
  std::optional<double> p90;  // n >= 10
  std::optional<double> p99;  // n >= 100
  int outliers = 0;           // samples above q3 + 3 (q3 - q1)
  double outlier_above = 0;   // that bound, q3 + 3 (q3 - q1)
};
// Unset for no samples; NaN and infinite samples are left out.
std::optional<Summary> summarise(std::vector<double> samples);

// Warm-up has ended: the median of the last 5 is within 2 % of the median of the 5 before.
bool converged(std::span<const double> samples);

}  // namespace ts::stats
