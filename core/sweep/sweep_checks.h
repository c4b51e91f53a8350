#pragma once

#include <vector>

#include "core/report/checks.h"
#include "core/sweep/sweep_results.h"

namespace ts::sweep {

// The course's checks that a sweep answers, from its measured points. In the order of their ids.
//   C-11  along T, at 512 or less: flash against every other backend there
//   C-17  along B: time and memory of at least two batches
//   C-27  along T: a doubling takes at most six times as long
std::vector<report::CheckResult> checks_of(const Sweep& sweep);

}  // namespace ts::sweep
