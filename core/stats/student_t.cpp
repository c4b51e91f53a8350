#include "core/stats/student_t.h"

#include <cmath>
#include <numbers>

#include "core/base/check.h"

namespace ts::stats {
namespace {

// P(-t <= T <= t) for t = tan(angle) sqrt(degrees).
double central_probability(double angle, int degrees) {
  const double sine = std::sin(angle);
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 != 0;
  // Terms cos^(k) times the ratios of odd and even numbers below k, for k = 1, 3, ... or 0, 2, ...
  double term = odd ? cosine : 1;
  double sum = degrees == 1 ? 0 : term;
  for (int k = odd ? 3 : 2; k <= degrees - 2; k += 2) {
    term *= cosine * cosine * (k - 1) / k;
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (angle + sine * sum) : sine * sum;
}

}  // namespace

double student_t95(int degrees) {
  TS_CHECK(degrees >= 1);
  // Beyond this the series is long, and the difference to the limit, about 2.4 / degrees, is
  // negligible.
  constexpr int kLongest = 100'000;
  if (degrees > kLongest) return student_t95(kLongest);
  constexpr double kCovered = 0.95;
  double low = 0;
  double high = std::numbers::pi / 2;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    (central_probability(middle, degrees) < kCovered ? low : high) = middle;
  }
  return std::tan((low + high) / 2) * std::sqrt(static_cast<double>(degrees));
}

}  // namespace ts::stats
