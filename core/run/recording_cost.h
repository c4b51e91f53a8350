#pragma once

#include <optional>
#include <span>

#include "core/run/engine.h"
#include "core/stats/quantiles.h"

namespace ts::run {

// What recording adds to a step, in percent of an unrecorded one.
struct RecordingCost {
  int probes = 0;
  double percent = 0;                   // median over the probes
  std::optional<stats::Interval> ci95;  // of that median, in percent; 6 probes or more
  // Only an interval without zero in it says that recording costs, or seems to gain, something.
  [[nodiscard]] bool clear() const { return ci95 && (ci95->low > 0 || ci95->high < 0); }
};

// Each recorded probe against the mean of the unrecorded steps next to it in time, so that what
// drifts drops out. Nothing without a probe and a timed step. Both spans in order of time.
std::optional<RecordingCost> recording_cost(std::span<const StepTimes> probes,
                                            std::span<const StepTimes> timed);

}  // namespace ts::run
