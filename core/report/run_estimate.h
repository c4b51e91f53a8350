#pragma once

#include <optional>

#include "core/base/message.h"
#include "core/run/protocol.h"

namespace ts::report {

// How long a run would take, before it has timed a step. Never mixed with measurements.
struct RunEstimate {
  double tflops = 0;   // the measured peak
  double step_s = 0;   // its FLOPs at that peak and its traffic at the measured bandwidth
  double total_s = 0;  // all steps of the run
  // The user should know before the run starts.
  [[nodiscard]] bool is_long() const { return total_s >= 60; }
};
// Nothing without FLOPs, with an unknown roof, and for a step that must be compiled first.
std::optional<RunEstimate> estimate_run(const spec::WorkloadSpec& spec,
                                        const run::Protocol& protocol, const run::Roof& roof);

// "about 4 min"; and the sentence with its reasons.
base::Message time_text(const RunEstimate& estimate);
base::Message estimate_text(const RunEstimate& estimate);

}  // namespace ts::report
