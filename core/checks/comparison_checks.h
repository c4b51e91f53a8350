#pragma once

#include <vector>

#include "core/report/checks.h"
#include "core/run/compare.h"

namespace ts::checks {

// The checks that an A/B answers, in the order of their ids: A is the baseline, B the change.
//   C-22  both were measured, by turns
//   C-23  where both train the same model on the same data: their losses, step by step. The course
//         names no tolerance; 1 % of A's loss is ours
//   C-24  times and settings of A are saved
// `saved`: the comparison is being written into a folder. Empty until it has ended well.
std::vector<report::CheckResult> of_comparison(const run::Comparison& comparison, bool saved);

}  // namespace ts::checks
