#include "core/stats/fits.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/base/check.h"
#include "core/stats/student_t.h"

namespace ts::stats {
namespace {

bool has_logarithm(double value) {
  return std::isfinite(value) && value > 0;
}

std::vector<CurvePoint> sorted_by_x(std::span<const CurvePoint> curve) {
  std::vector<CurvePoint> points(curve.begin(), curve.end());
  std::erase_if(points, [](const CurvePoint& point) {
    return !has_logarithm(point.x) || !has_logarithm(point.y);
  });
  std::ranges::stable_sort(points, {}, &CurvePoint::x);
  points.erase(std::unique(points.begin(), points.end(),
                           [](const CurvePoint& a, const CurvePoint& b) { return a.x == b.x; }),
               points.end());
  return points;
}

// The two curves at one x; the ratio is positive where the second is lower.
struct Meeting {
  double x = 0;
  double ratio = 0;  // ln first - ln second
  int sign = 0;      // of the ratio where the intervals are apart, else 0
};

std::vector<Meeting> meetings(std::span<const CurvePoint> first,
                              std::span<const CurvePoint> second) {
  const auto a = sorted_by_x(first);
  const auto b = sorted_by_x(second);
  std::vector<Meeting> all;
  auto other = b.begin();
  for (const CurvePoint& point : a) {
    while (other != b.end() && other->x < point.x) ++other;
    if (other == b.end()) break;
    if (other->x != point.x) continue;
    Meeting meeting{point.x, std::log(point.y) - std::log(other->y), 0};
    if (point.low > other->high) meeting.sign = 1;
    if (point.high < other->low) meeting.sign = -1;
    all.push_back(meeting);
  }
  return all;
}

// The last change of sign between meetings [from, to], whose ratios have opposite signs.
double crossing(std::span<const Meeting> all, std::size_t from, std::size_t to) {
  std::size_t k = to - 1;
  const bool rises = all[to].ratio > 0;
  while (k > from && (rises ? all[k].ratio > 0 : all[k].ratio < 0)) --k;
  const Meeting& left = all[k];
  const Meeting& right = all[k + 1];
  const double part = left.ratio / (left.ratio - right.ratio);
  return std::exp(std::lerp(std::log(left.x), std::log(right.x), part));
}

}  // namespace

double PowerFit::at(double x) const {
  return factor * std::pow(x, slope);
}

std::optional<PowerFit> fit_power_law(std::span<const double> x, std::span<const double> y) {
  TS_CHECK(x.size() == y.size());
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (has_logarithm(x[i]) && has_logarithm(y[i])) used.push_back(i);
  }
  if (used.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(used.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const std::size_t i : used) {
    mean_x += std::log(x[i]) / n;
    mean_y += std::log(y[i]) / n;
  }
  double xx = 0;
  double xy = 0;
  double yy = 0;
  bool one_x = true;
  bool one_y = true;
  for (const std::size_t i : used) {
    const double dx = std::log(x[i]) - mean_x;
    const double dy = std::log(y[i]) - mean_y;
    xx += dx * dx;
    xy += dx * dy;
    yy += dy * dy;
    one_x = one_x && x[i] == x[used.front()];
    one_y = one_y && y[i] == y[used.front()];
  }
  // Rounding of the mean leaves a small rest even where all x are equal.
  if (one_x || xx <= 0) return std::nullopt;

  PowerFit fit;
  fit.n = static_cast<int>(used.size());
  fit.slope = one_y ? 0 : xy / xx;
  const double offset = mean_y - fit.slope * mean_x;
  fit.factor = std::exp(offset);
  fit.residuals.assign(x.size(), std::numeric_limits<double>::quiet_NaN());
  double unexplained = 0;
  for (const std::size_t i : used) {
    const double residual = one_y ? 0 : std::log(y[i]) - (offset + fit.slope * std::log(x[i]));
    fit.residuals[i] = residual;
    unexplained += residual * residual;
  }
  if (!one_y) fit.r2 = std::clamp(1 - unexplained / yy, 0.0, 1.0);
  if (fit.n >= 3) {
    const double error = std::sqrt(unexplained / (n - 2) / xx);
    const double reach = student_t95(fit.n - 2) * error;
    fit.ci95 = Interval{fit.slope - reach, fit.slope + reach};
  }
  return fit;
}

std::vector<Crossover> crossovers(std::span<const CurvePoint> first,
                                  std::span<const CurvePoint> second) {
  const auto all = meetings(first, second);
  std::vector<Crossover> found;
  std::optional<std::size_t> decided;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].sign == 0) continue;
    if (decided && all[*decided].sign != all[i].sign) {
      found.push_back({crossing(all, *decided, i), all[*decided].x, all[i].x, all[i].sign > 0});
    }
    decided = i;
  }
  return found;
}

std::optional<Saturation> saturation(std::span<const double> x, std::span<const double> y) {
  TS_CHECK(x.size() == y.size());
  std::vector<CurvePoint> curve;
  for (std::size_t i = 0; i < x.size(); ++i) curve.push_back({x[i], y[i], y[i], y[i]});
  const auto points = sorted_by_x(curve);
  const auto gain = [&points](std::size_t from, std::size_t to) {
    const double doublings = std::log2(points[to].x / points[from].x);
    return std::pow(points[to].y / points[from].y, 1 / doublings) - 1;
  };
  for (std::size_t i = 1; i < points.size(); ++i) {
    bool flat = true;
    for (std::size_t j = i; j < points.size(); ++j) flat = flat && gain(i - 1, j) < kSaturationGain;
    if (flat) return Saturation{points[i].x, points[i].y, gain(i - 1, i)};
  }
  return std::nullopt;
}

}  // namespace ts::stats
