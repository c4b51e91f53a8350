#pragma once

#include "core/base/clock.h"
#include "core/run/run.h"

namespace ts::files {

inline constexpr std::size_t kMostStepsShown = 5;

// The range that is shown at first of a trace or a recording: from its first step to the last, of
// more than kMostStepsShown the last ones; without set-up. Where a trace names no steps its phases
// tell them: each ends with its optimizer, where there is none with its backward, and without that
// each forward is one. Empty: all, as it has neither or hardly more than its steps. O(slices of
// steps and phases).
base::TimeRange step_range(const run::Run& run);

}  // namespace ts::files
