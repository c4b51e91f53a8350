#pragma once

#include <cstdint>
#include <optional>

#include "core/run/engine.h"

namespace ts::run {

// How a run is measured: first `recorded_steps` recorded steps, then warm-up, then timed steps with
// no recording. Every `probe_every`-th timed step is recorded and its records are discarded, in
// turn with unrecorded ones, so the cost of recording is measured under the same conditions.
// Rules and constants: median of the last 5 within 2 % of the 5 before, at least 3 steps and
// min_warmup_s, at most max_warmup_s (then flagged unstable); stop when the 95 % CI of the median
// is within 1 % or the budget ends, at least min_samples, and within the budget at least the 6
// probes that a confidence interval takes.
struct Protocol {
  std::int32_t recorded_steps = 3;
  double min_warmup_s = 0.2;
  double max_warmup_s = 5.0;
  std::int32_t min_samples = 10;
  std::int32_t max_samples = 1000;
  double budget_s = 2.0;      // of timed steps; min_samples are taken even beyond it ...
  double hard_budget_s = 60;  // ... up to this
  double target_ci = 0.01;
  std::int32_t probe_every = 4;  // 0: the cost of recording is not measured
  // A step is compared with the same one in fp64, when all else is done (Engine::compare_values).
  bool check_values = false;
};

// The number of steps that a spec sets before the timing; nothing: until the step times settle.
// With a number nothing runs before them: recording comes last, and its cost is not measured.
std::optional<std::int32_t> fixed_warmups(const spec::WorkloadSpec& spec);

// Summary of the timed samples, in milliseconds. Absent fields (n too small) are negative.
struct TimingSummary {
  std::int32_t n = 0;
  double median_ms = -1;
  double ci95_low_ms = -1;  // of the median, by order statistics; n >= 6
  double ci95_high_ms = -1;
  double min_ms = -1;
  double q1_ms = -1;
  double q3_ms = -1;
  double p90_ms = -1;  // n >= 10
  double p99_ms = -1;  // n >= 100
  double mean_ms = -1;
  double std_ms = -1;
  std::int32_t outliers = 0;  // above q3 + 3 IQR; marked, never dropped
  double outlier_above_ms = -1;
  bool settled = true;  // warm-up converged
  bool stable = true;   // it did, and there are few outliers; see many_outliers()
  std::int32_t warmup_steps = 0;
};

// More than one step, and more than one in twenty. An undisturbed machine has almost no steps that
// far out, so something else influenced the measurement.
inline bool many_outliers(const TimingSummary& timing) {
  return timing.outliers > 1 && timing.outliers * 20 > timing.n;
}

}  // namespace ts::run
