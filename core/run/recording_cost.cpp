#include "core/run/recording_cost.h"

#include <algorithm>
#include <vector>

#include "core/stats/paired.h"

namespace ts::run {

namespace {

// The mean of the timed steps just before and just after that time.
double mean_beside(std::span<const StepTimes> timed, std::int64_t time_ns) {
  const auto after = std::ranges::upper_bound(timed, time_ns, {}, &StepTimes::begin_ns);
  double sum = 0;
  int count = 0;
  const auto add = [&](const StepTimes& step) {
    sum += static_cast<double>(step.total_ns);
    ++count;
  };
  if (after != timed.begin()) add(*(after - 1));
  if (after != timed.end()) add(*after);
  return sum / count;
}

double percent_of(double ratio) {
  return (ratio - 1) * 100;
}

}  // namespace

std::optional<RecordingCost> recording_cost(std::span<const StepTimes> probes,
                                            std::span<const StepTimes> timed) {
  if (probes.empty() || timed.empty()) return std::nullopt;
  std::vector<double> plain, recorded;
  for (const StepTimes& probe : probes) {
    const double beside = mean_beside(timed, probe.begin_ns);
    if (beside <= 0) continue;
    plain.push_back(beside);
    recorded.push_back(static_cast<double>(probe.total_ns));
  }
  const stats::PairedRatio ratio = stats::paired_ratio(plain, recorded);
  if (ratio.pairs == 0) return std::nullopt;
  RecordingCost cost;
  cost.probes = ratio.pairs;
  cost.percent = percent_of(ratio.median);
  if (ratio.ci95) cost.ci95 = {percent_of(ratio.ci95->low), percent_of(ratio.ci95->high)};
  return cost;
}

}  // namespace ts::run
