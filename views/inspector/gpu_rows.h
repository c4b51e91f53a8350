#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/stats/kernel_table.h"
#include "views/inspector/inspector_rows.h"

namespace ts::views {

// GPU use in the recorded steps: time per step, share of it with kernels running, causes of the
// idle time, the queue, and the share of tensor cores. Shares are of the span from the first kernel
// of a step to its last. Without `steps` times are those of the whole trace, which then counts as
// one step.
std::vector<InspectorRow> gpu_rows(const text::Texts& texts, const stats::DeviceUse& use,
                                   std::optional<std::int64_t> steps);

// The launch of a kernel, and its theoretical occupancy if the limits of the card are known.
// Nothing where the file does not tell how it was launched.
std::vector<InspectorRow> launch_rows(const text::Texts& texts, const trace::KernelLaunch& launch,
                                      const std::string& compute_capability);

}  // namespace ts::views
