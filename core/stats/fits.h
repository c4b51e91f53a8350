#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/stats/quantiles.h"

// Fits for the curves of a sweep: the slope, where one curve overtakes the other, where one
// flattens. Points with an x or y that is not finite and positive have no logarithm and are left
// out.
namespace ts::stats {

// y = factor * x^slope, by least squares of ln y on ln x.
struct PowerFit {
  int n = 0;  // points used
  double slope = 0;
  double factor = 0;
  std::optional<Interval> ci95;   // of the slope, by Student's t with n - 2 degrees; n >= 3
  std::optional<double> r2;       // unset when all y are equal: there is no variance to explain
  std::vector<double> residuals;  // ln y minus the fit, one per point given; NaN where left out
  [[nodiscard]] double at(double x) const;
};
// Unset for fewer than two different x. x and y have equal lengths, in any order.
std::optional<PowerFit> fit_power_law(std::span<const double> x, std::span<const double> y);

// A measured value with its confidence interval; low = high = y where none is known.
struct CurvePoint {
  double x = 0;
  double y = 0;
  double low = 0;
  double high = 0;
};

// `at` lies between two x that both curves have: up to `before` one curve is surely the lower one,
// from `after` on the other is. "Surely" means that the intervals do not overlap. Where they
// overlap neither is ahead and no crossover is reported, so noise causes none.
struct Crossover {
  double at = 0;  // where the ratio of the two is 1, interpolated linearly in the logarithms
  double before = 0;
  double after = 0;
  bool second_is_lower_after = false;
};
// In ascending order. The curves may be in any order of x; of points with equal x the first counts.
std::vector<Crossover> crossovers(std::span<const CurvePoint> first,
                                  std::span<const CurvePoint> second);

// Where throughput flattens. The rule: the first x at which y gains less than 10 % per doubling of
// x over the x before it, and every later x does so too: a single slow point is no knee. If x
// doubles at each point and y only flattens, this is the plain gain.
struct Saturation {
  double at = 0;
  double y = 0;
  double gain = 0;  // over the x before, per doubling, as a fraction: 0.04 is 4 %
};
inline constexpr double kSaturationGain = 0.10;
// Unset when y still grows at the last x, or with fewer than two different x.
std::optional<Saturation> saturation(std::span<const double> x, std::span<const double> y);

}  // namespace ts::stats
