#pragma once

#include <cstddef>
#include <span>

#include "core/run/protocol.h"

namespace ts::run {

// Statistics of one part of some steps: total_ns, forward_ns, ... n = 0 for a part that they lack
// (0 in every step). set_warmup sets the values of the warm-up.
TimingSummary summarise_steps(std::span<const StepTimes> steps,
                              std::int64_t StepTimes::*part = &StepTimes::total_ns);

// Sets whether the warm-up converged, and its steps; decides whether the times are stable.
void set_warmup(TimingSummary& timing, bool settled, std::size_t steps);

}  // namespace ts::run
