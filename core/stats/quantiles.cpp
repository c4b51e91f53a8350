#include "core/stats/quantiles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/base/check.h"

namespace ts::stats {
namespace {

constexpr double kConfidence = 0.95;

// P(B = n / 2, rounded down) for B binomial(n, 1/2). A product of ratios close to one: no factorial
// overflows, and unlike lgamma it writes no global state.
long double central_binomial(std::size_t n) {
  const std::size_t half = (n + 1) / 2;
  long double product = 1;
  for (std::size_t i = 1; i <= half; ++i) {
    product *= static_cast<long double>(2 * i - 1) / static_cast<long double>(2 * i);
  }
  // An odd n has two central values, each with the probability of the central value of n + 1.
  return product;
}

double median_of(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return quantile_sorted(sorted, 0.5);
}

}  // namespace

double quantile_sorted(std::span<const double> sorted, double q) {
  TS_CHECK(!sorted.empty() && q >= 0 && q <= 1);
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double part = position - static_cast<double>(below);
  const double low = sorted[below];
  if (part <= 0 || below + 1 >= sorted.size()) return low;
  const double high = sorted[below + 1];
  // The difference of equal infinities is undefined, so do not interpolate.
  return low == high ? low : std::lerp(low, high, part);
}

std::optional<Interval> median_ci95(std::span<const double> sorted) {
  const std::size_t n = sorted.size();
  if (n < 6) return std::nullopt;
  // The ranks (rank, n + 1 - rank), counted from 1, cover the median with the probability that B is
  // in [rank, n - rank]. Search from the centre outwards until the coverage is enough.
  std::size_t rank = n / 2;
  long double probability = central_binomial(n);  // of B = rank
  long double coverage = n % 2 == 0 ? probability : 2 * probability;
  while (coverage < static_cast<long double>(kConfidence)) {
    probability *= static_cast<long double>(rank) / static_cast<long double>(n - rank + 1);
    --rank;
    TS_CHECK(rank > 0);  // from n = 6 on, rank 1 covers 1 - 2^(1 - n) >= 0.96
    coverage += 2 * probability;
  }
  return Interval{.low = sorted[rank - 1], .high = sorted[n - rank]};
}

std::optional<Summary> summarise(std::vector<double> samples) {
  std::erase_if(samples, [](double sample) { return !std::isfinite(sample); });
  if (samples.empty()) return std::nullopt;
  std::sort(samples.begin(), samples.end());
  const auto n = static_cast<long double>(samples.size());

  Summary summary;
  summary.n = static_cast<int>(samples.size());
  summary.min = samples.front();
  summary.q1 = quantile_sorted(samples, 0.25);
  summary.median = quantile_sorted(samples, 0.5);
  summary.q3 = quantile_sorted(samples, 0.75);
  summary.max = samples.back();
  // long double: neither the sum nor the squares of finite doubles overflow.
  long double sum = 0;
  for (const double sample : samples) sum += sample;
  const long double mean = sum / n;
  long double squares = 0;
  for (const double sample : samples) squares += (sample - mean) * (sample - mean);
  summary.mean = static_cast<double>(mean);
  summary.std = samples.size() < 2 ? 0 : static_cast<double>(std::sqrt(squares / (n - 1)));
  summary.ci95 = median_ci95(samples);
  if (summary.n >= 10) summary.p90 = quantile_sorted(samples, 0.9);
  if (summary.n >= 100) summary.p99 = quantile_sorted(samples, 0.99);
  summary.outlier_above = summary.q3 + 3 * (summary.q3 - summary.q1);
  summary.outliers = static_cast<int>(
      samples.end() - std::upper_bound(samples.begin(), samples.end(), summary.outlier_above));
  return summary;
}

bool converged(std::span<const double> samples) {
  constexpr std::size_t kWindow = 5;
  constexpr double kTolerance = 0.02;
  if (samples.size() < 2 * kWindow) return false;
  const std::span<const double> recent = samples.last(2 * kWindow);
  if (!std::all_of(recent.begin(), recent.end(), [](double x) { return std::isfinite(x); })) {
    return false;
  }
  const double before = median_of(recent.first(kWindow));
  const double now = median_of(recent.last(kWindow));
  return std::abs(now - before) <= kTolerance * std::abs(before);
}

}  // namespace ts::stats
