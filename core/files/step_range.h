#pragma once

#include "core/base/clock.h"
#include "core/run/run.h"

namespace ts::files {

inline constexpr std::size_t kMostStepsShown = 5;

// The range that is shown at first of a trace or a recording: from its first step to the last, of
// more than kMostStepsShown the last ones; without set-up. Empty: all, as it has no steps or hardly
// more than them. O(slices of steps).
base::TimeRange step_range(const run::Run& run);

}  // namespace ts::files
