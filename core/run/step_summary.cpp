#include "core/run/step_summary.h"

#include "core/stats/quantiles.h"

namespace ts::run {

TimingSummary summarise_steps(std::span<const StepTimes> steps, std::int64_t StepTimes::*part) {
  std::vector<double> samples;
  samples.reserve(steps.size());
  for (const StepTimes& step : steps) samples.push_back(static_cast<double>(step.*part) * 1e-6);
  TimingSummary out;
  const auto summary = stats::summarise(std::move(samples));
  if (!summary || summary->max <= 0) return out;
  out.n = summary->n;
  out.median_ms = summary->median;
  if (summary->ci95) {
    out.ci95_low_ms = summary->ci95->low;
    out.ci95_high_ms = summary->ci95->high;
  }
  out.min_ms = summary->min;
  out.q1_ms = summary->q1;
  out.q3_ms = summary->q3;
  out.p90_ms = summary->p90.value_or(-1);
  out.p99_ms = summary->p99.value_or(-1);
  out.mean_ms = summary->mean;
  out.std_ms = summary->n > 1 ? summary->std : -1;
  out.outliers = summary->outliers;
  out.outlier_above_ms = summary->outlier_above;
  return out;
}

void set_warmup(TimingSummary& timing, bool settled, std::size_t steps) {
  timing.settled = settled;
  timing.stable = settled && !many_outliers(timing);
  timing.warmup_steps = static_cast<std::int32_t>(steps);
}

}  // namespace ts::run
