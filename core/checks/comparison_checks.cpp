#include "core/checks/comparison_checks.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/report/check_finding.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::checks {
namespace {

using report::CheckResult;
using report::CheckState;
using report::Finding;

constexpr double kMostLossPercent = 1;

Finding measured_again(const run::Comparison& comparison) {
  const stats::PairedRatio& ratio = comparison.total;
  return {{ratio.pairs >= stats::kFewestPairs ? CheckState::passed : CheckState::noted,
           text::message("check.before_after", {{"pairs", text::grouped(ratio.pairs)},
                                                {"ratio", text::decimal(ratio.median, 3)},
                                                {"least", std::to_string(stats::kFewestPairs)}})}};
}

// Steps that both made, from the first one after the model was built.
std::vector<double> losses(const run::ComparedSide& side) {
  std::vector<double> all;
  for (const auto* steps : {&side.warmup_steps, &side.timed_steps}) {
    for (const run::StepTimes& step : *steps) all.push_back(step.loss);
  }
  return all;
}

// The same model, so far as its size tells, on the same batches.
bool comparable(const spec::WorkloadSpec& a, const spec::WorkloadSpec& b) {
  return a.workload == b.workload && a.pass == spec::Pass::full_step && b.pass == a.pass &&
         a.batch == b.batch && a.seq_len == b.seq_len && a.accumulate == b.accumulate &&
         a.seed == b.seed && a.corpus == b.corpus && a.vocab == b.vocab && a.layers == b.layers &&
         spec::parameter_count(a) == spec::parameter_count(b);
}

Finding same_losses(const run::Comparison& comparison) {
  const auto& [a, b] = comparison.sides;
  if (!comparable(a.spec, b.spec))
    return {{CheckState::unknown, text::message("check.losses_untold")}};
  const std::vector<double> of_a = losses(a);
  const std::vector<double> of_b = losses(b);
  const std::size_t steps = std::min(of_a.size(), of_b.size());
  double most = 0;
  bool finite = steps > 0;
  for (std::size_t i = 0; i < steps; ++i) {
    const double percent = 100 * std::abs(of_b[i] - of_a[i]) / std::abs(of_a[i]);
    finite = finite && std::isfinite(percent);
    most = std::max(most, percent);
  }
  if (!finite) return {{CheckState::unknown, text::message("check.losses_untold")}};
  return {{report::passed_if(most <= kMostLossPercent),
           text::message("check.losses", {{"percent", text::decimal(most, 3)},
                                          {"steps", std::to_string(steps)},
                                          {"most", text::decimal(kMostLossPercent, 0)}})}};
}

}  // namespace

std::vector<CheckResult> of_comparison(const run::Comparison& comparison, bool saved) {
  std::vector<CheckResult> all;
  if (comparison.failure || comparison.stage != run::Stage::done || comparison.total.pairs == 0)
    return all;
  const auto add = [&](const char* id, const char* why, Finding found) {
    all.push_back({id, found->first, std::move(found->second), text::message(why)});
  };
  add("C-22", "check.why.before_after", measured_again(comparison));
  add("C-23", "check.why.losses", same_losses(comparison));
  add("C-24", "check.why.baseline",
      saved ? Finding{{CheckState::passed, text::message("check.baseline_saved")}}
            : Finding{{CheckState::unknown, text::message("check.baseline_unsaved")}});
  return all;
}

}  // namespace ts::checks
