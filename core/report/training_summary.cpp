#include "core/report/training_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/report/efficiency.h"
#include "core/text/message.h"

namespace ts::report {

namespace {

base::Message bad_loss(std::size_t step, double loss) {
  const char* const value = std::isnan(loss) ? "nan" : loss > 0 ? "inf" : "-inf";
  return text::message("verdict.loss_not_finite",
                       {{"step", std::to_string(step)}, {"loss", value}});
}

}  // namespace

std::vector<StepInOrder> steps_in_order(const run::Run& run) {
  std::vector<StepInOrder> all;
  const auto add = [&all](const char* kind, const std::vector<run::StepTimes>& steps) {
    for (const run::StepTimes& step : steps) all.push_back({kind, step});
  };
  add("recorded", run.recorded_steps);
  add("warmup", run.warmup_steps);
  add("timed", run.timed_steps);
  add("probe", run.probe_steps);
  std::sort(all.begin(), all.end(), [](const StepInOrder& a, const StepInOrder& b) {
    return a.times.begin_ns < b.times.begin_ns;
  });
  return all;
}

std::vector<std::string> log_lines(const run::Run& run) {
  std::vector<std::string> lines;
  if (!spec::has_backward(run.spec.pass)) return lines;
  const std::vector<Utilisation> used = utilisations(run);
  const std::vector<StepInOrder> steps = steps_in_order(run);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (std::string_view(steps[i].kind) != "timed") continue;
    const double ms = static_cast<double>(steps[i].times.total_ns) * 1e-6;
    std::string line =
        fmt::format("iter {}: loss {:.4f}, time {:.2f}ms", i, steps[i].times.loss, ms);
    if (!used.empty() && ms > 0) {
      const double share = used[0].flops.per_step / (ms * 1e-3) / (used[0].peak.tflops * 1e12);
      line += fmt::format(", mfu {:.2f}%", share * 100);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

TrainingSummary training_summary(const run::Run& run) {
  TrainingSummary summary;
  if (!spec::has_backward(run.spec.pass)) return summary;
  const std::vector<StepInOrder> steps = steps_in_order(run);
  if (steps.empty()) return summary;
  const run::StepTimes& last = steps.back().times;
  summary.loss = last.loss;
  if (run.spec.pass == spec::Pass::full_step) summary.learning_rate = last.learning_rate;
  summary.gradient_norm = last.gradient_norm;
  summary.loss_scale = last.loss_scale;
  summary.clean_steps = last.clean_steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const run::StepTimes& step = steps[i].times;
    if (step.skipped) ++summary.skipped_steps;
    if (!std::isfinite(step.loss) && !summary.bad_loss) {
      summary.bad_loss = bad_loss(i, step.loss);
    }
  }
  return summary;
}

bool mixes_types(std::span<const run::NamedType> types) {
  return std::ranges::any_of(
      types, [&](const run::NamedType& type) { return type.type != types.front().type; });
}

std::vector<run::NamedType> other_types(std::span<const run::NamedType> ran,
                                        std::span<const run::NamedType> there) {
  std::vector<run::NamedType> others;
  for (const run::NamedType& one : there) {
    const auto here = std::ranges::find(ran, one.name, &run::NamedType::name);
    if (here != ran.end() && here->type != one.type) others.push_back(one);
  }
  return others;
}

}  // namespace ts::report
