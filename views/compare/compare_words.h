#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/run/compare.h"
#include "core/text/text.h"

namespace ts::views {

// What the sides are called: by what differs, "naive" and "flash", "T = 256" and "T = 512", and "A"
// and "B" where that is not one setting.
std::array<std::string, 2> side_names(const run::Comparison& comparison, const text::Texts& texts);

// What a comparison says: "flash is 1.420 times as fast as naive", that it is unclear, or what
// ended it.
std::string comparison_verdict(const run::Comparison& comparison, const text::Texts& texts);
// What that rests on, "95 % CI 1.390 to 1.450, 40 pairs in A B B A order", or how far it is.
std::string comparison_state(const run::Comparison& comparison, double budget_s,
                             const text::Texts& texts);

// Why the ratio is not that of the two medians beside it, with both numbers; empty where they read
// the same.
std::string ratio_note(const run::Comparison& comparison, const text::Texts& texts);

// When compiling B has paid; empty where not B alone is compiled.
std::string break_even_words(const run::Comparison& comparison, const text::Texts& texts);

// A part of a step: its medians, in words and all in one unit, and the ratio.
struct ComparisonRow {
  std::string part;
  std::string a;
  std::string b;
  stats::PairedRatio ratio;
};
std::vector<ComparisonRow> comparison_rows(const run::Comparison& comparison,
                                           const text::Texts& texts);
// Key of "faster", "slower", "same", "unclear".
const char* verdict_key(stats::PairVerdict verdict);

}  // namespace ts::views
