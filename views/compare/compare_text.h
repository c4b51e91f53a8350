#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/run/compare.h"
#include "core/text/text.h"

namespace ts::views {

// The names of the sides: what differs, "naive" and "flash", "T = 256" and "T = 512", or "A" and
// "B" if that is not one setting.
std::array<std::string, 2> side_names(const run::Comparison& comparison, const text::Texts& texts);

// The result of a comparison: "flash is 1.420 times as fast as naive", that it is unclear, or what
// ended it.
std::string comparison_verdict(const run::Comparison& comparison, const text::Texts& texts);
// The evidence for the result, "95 % CI 1.390 to 1.450, 40 pairs in A B B A order", or the
// progress.
std::string comparison_state(const run::Comparison& comparison, double budget_s,
                             const text::Texts& texts);

// The reason why the ratio is not that of the two medians beside it, with both numbers; empty if
// they read the same.
std::string ratio_note(const run::Comparison& comparison, const text::Texts& texts);

// A part of a step: its medians as text in one unit, and the ratio.
struct ComparisonRow {
  std::string part;
  std::string a;
  std::string b;
  stats::PairedRatio ratio;
};
std::vector<ComparisonRow> comparison_rows(const run::Comparison& comparison,
                                           const text::Texts& texts);
// All that verdict_key() can return.
inline constexpr std::array kVerdictKeys = {"compare.verdict.faster", "compare.verdict.slower",
                                            "compare.verdict.same", "compare.verdict.unclear",
                                            "compare.verdict.too_few"};
// Key of "faster", "slower", "same", "unclear", "too few pairs".
const char* verdict_key(const stats::PairedRatio& ratio);

}  // namespace ts::views
