#pragma once

#include <span>

#include "core/run/protocol.h"

namespace ts::run {

// Statistics of one part of some steps: total_ns, forward_ns, ... n = 0 for a part that they lack
// (0 in every step). `stable` and `warmup_steps` are left to the caller.
TimingSummary summarise_steps(std::span<const StepTimes> steps,
                              std::int64_t StepTimes::*part = &StepTimes::total_ns);

}  // namespace ts::run
