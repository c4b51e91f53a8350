#pragma once

#include <vector>

#include "views/inspector/inspector_rows.h"

namespace ts::views {

// GPU state from the driver while the steps were timed: clocks, temperature, power, clock limits,
// memory. Also the time of a step by CUDA events. Empty on the CPU.
std::vector<InspectorRow> state_rows(const text::Texts& texts, const run::Run& run);

}  // namespace ts::views
