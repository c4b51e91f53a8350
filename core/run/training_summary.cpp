#include "core/run/training_summary.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ts::run {

namespace {

Message bad_loss(std::size_t step, double loss) {
  Message said;
  said.key = "verdict.loss_not_finite";
  said.arguments = {{"step", std::to_string(step)},
                    {"loss", std::isnan(loss) ? "nan"
                             : loss > 0       ? "inf"
                                              : "-inf"}};
  said.sentence = text::fill(
      "The loss of step {step} is {loss}: a number left the range of its type. Lower lr, or use "
      "bf16, or a gradient scaler with fp16",
      said.arguments);
  return said;
}

}  // namespace

std::vector<StepTimes> steps_in_order(const Run& run) {
  std::vector<StepTimes> all;
  for (const auto* steps :
       {&run.recorded_steps, &run.warmup_steps, &run.timed_steps, &run.probe_steps}) {
    all.insert(all.end(), steps->begin(), steps->end());
  }
  std::sort(all.begin(), all.end(),
            [](const StepTimes& a, const StepTimes& b) { return a.begin_ns < b.begin_ns; });
  return all;
}

TrainingSummary training_summary(const Run& run) {
  TrainingSummary summary;
  if (!has_backward(run.spec.pass)) return summary;
  const std::vector<StepTimes> steps = steps_in_order(run);
  if (steps.empty()) return summary;
  const StepTimes& last = steps.back();
  summary.loss = last.loss;
  if (run.spec.pass == Pass::full_step) summary.learning_rate = last.learning_rate;
  summary.gradient_norm = last.gradient_norm;
  summary.loss_scale = last.loss_scale;
  summary.clean_steps = last.clean_steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].skipped) ++summary.skipped_steps;
    if (!std::isfinite(steps[i].loss) && !summary.bad_loss) {
      summary.bad_loss = bad_loss(i, steps[i].loss);
    }
  }
  return summary;
}

bool mixes_types(const ExecutionFacts& facts) {
  return std::any_of(facts.types.begin(), facts.types.end(),
                     [&](const NamedType& type) { return type.type != facts.types.front().type; });
}

}  // namespace ts::run
