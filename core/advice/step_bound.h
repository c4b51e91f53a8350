#pragma once

#include <optional>

#include "core/report/roofs.h"
#include "core/spec/workload_traffic.h"

namespace ts::advice {

// A lower bound of the time of a step by the roofs of a device (Williams, Waterman, Patterson 2009,
// "Roofline"): every part of step_parts() takes at least its FLOPs at the peak and at least its
// bytes at the bandwidth, and the parts follow one another. Launches of kernels, norms and
// activations are left out. Never mixed with measured times.
struct StepBound {
  double seconds = 0;
  double compute_s = 0;  // in parts that the peak limits
  double memory_s = 0;   // in parts that the bandwidth limits; together `seconds`
  // The kind of part that takes the most time, and what limits most of it.
  spec::StepPart::Kind slowest = spec::StepPart::Kind::products;
  bool slowest_by_memory = false;
};
// Unset if a roof is not known, or no formula counts the workload.
std::optional<StepBound> step_bound(const spec::WorkloadSpec& spec,
                                    spec::AttentionBackend backend_ran, const report::Roofs& roofs);

}  // namespace ts::advice
