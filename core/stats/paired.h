#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/stats/quantiles.h"

namespace ts::stats {

// The verdict on B of an interleaved comparison of A and B.
enum class PairVerdict : std::uint8_t { faster, slower, same, unclear };
const char* to_string(PairVerdict value);

// Ratios of times B / A, one for each pair of neighbours. Slow drift (clocks, other work) affects
// both halves of a pair and cancels out in its ratio.
struct PairedRatio {
  int pairs = 0;
  double median = 0;
  std::optional<Interval> ci95 = {};  // of the median, by order statistics; pairs >= 6
  PairVerdict verdict = PairVerdict::unclear;
};

// With fewer pairs there is no verdict, whatever the interval is.
inline constexpr int kFewestPairs = 10;

// faster, slower: the interval lies wholly beyond 0.5 % from 1. same: wholly within 1 %. Anything
// else is unclear, and so are fewer than kFewestPairs. Times are positive; the spans equally long.
PairedRatio paired_ratio(std::span<const double> a, std::span<const double> b);

}  // namespace ts::stats
