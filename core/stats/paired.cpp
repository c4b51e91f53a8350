#include "core/stats/paired.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/check.h"

namespace ts::stats {

namespace {

// Same rule as nvbench's comparison: medians closer than half a percent are not called different.
constexpr double kDifferent = 0.005;
constexpr double kSame = 0.01;

PairVerdict judge(int pairs, const std::optional<Interval>& ci95) {
  if (pairs < kFewestPairs || !ci95) return PairVerdict::unclear;
  if (ci95->high < 1 - kDifferent) return PairVerdict::faster;
  if (ci95->low > 1 + kDifferent) return PairVerdict::slower;
  if (ci95->low >= 1 - kSame && ci95->high <= 1 + kSame) return PairVerdict::same;
  return PairVerdict::unclear;
}

}  // namespace

const char* to_string(PairVerdict value) {
  constexpr std::array kNames = {"faster", "slower", "same", "unclear"};
  return kNames[static_cast<std::size_t>(value)];
}

PairedRatio paired_ratio(std::span<const double> a, std::span<const double> b) {
  TS_CHECK(a.size() == b.size());
  PairedRatio out;
  out.pairs = static_cast<int>(a.size());
  if (a.empty()) return out;
  std::vector<double> ratios(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) ratios[i] = b[i] / a[i];
  std::ranges::sort(ratios);
  out.median = quantile_sorted(ratios, 0.5);
  out.ci95 = median_ci95(ratios);
  out.verdict = judge(out.pairs, out.ci95);
  return out;
}

}  // namespace ts::stats
