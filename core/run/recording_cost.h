#pragma once

#include <optional>
#include <span>

#include "core/run/engine.h"
#include "core/stats/quantiles.h"

namespace ts::run {

// The cost that recording adds to a step, in percent of an unrecorded one.
struct RecordingCost {
  int probes = 0;
  double percent = 0;                   // median over the probes
  std::optional<stats::Interval> ci95;  // of that median, in percent; 6 probes or more
  // Only an interval without zero shows that recording costs time, or seems to save it.
  [[nodiscard]] bool clear() const { return ci95 && (ci95->low > 0 || ci95->high < 0); }
};

// Compares each recorded probe with the mean of the unrecorded steps next to it in time, so that
// drift cancels. Nothing without a probe and a timed step. Both spans in order of time.
std::optional<RecordingCost> recording_cost(std::span<const StepTimes> probes,
                                            std::span<const StepTimes> timed);

}  // namespace ts::run
