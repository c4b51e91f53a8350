#pragma once

#include <vector>

#include "core/stats/kernel_table.h"
#include "views/inspector/inspector_rows.h"

namespace ts::views {

// What a GPU did in the recorded steps: its time a step, how much of it kernels ran, why none ran
// otherwise, the queue, and the part of tensor cores. Shares are of the span from the first kernel
// of a step to its last.
std::vector<InspectorRow> gpu_rows(const text::Texts& texts, const stats::DeviceUse& use,
                                   std::int64_t steps);

// How a kernel was launched, and its theoretical occupancy where the card's limits are known.
std::vector<InspectorRow> launch_rows(const text::Texts& texts, const trace::KernelLaunch& launch,
                                      const std::string& compute_capability);

}  // namespace ts::views
