#pragma once

#include <vector>

#include "views/inspector/inspector_rows.h"

namespace ts::views {

// What the driver told of the GPU while the steps were timed: clocks, temperature, power, what held
// the clocks down, memory; and the time of a step by CUDA events. Empty on the cpu.
std::vector<InspectorRow> state_rows(const text::Texts& texts, const run::Run& run);

}  // namespace ts::views
