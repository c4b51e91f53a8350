#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/run/compare.h"
#include "core/run/protocol_json.h"
#include "core/run/step_summary.h"
#include "core/run/workload_math.h"

namespace ts::run {

namespace {

nlohmann::json part_json(const ComparedSide& side, std::int64_t StepTimes::*part) {
  TimingSummary summary = summarise_steps(side.timed_steps, part);
  if (summary.n == 0) return nullptr;
  summary.stable = side.warmup_stable;
  summary.warmup_steps = static_cast<std::int32_t>(side.warmup_steps.size());
  return to_json(summary);
}

nlohmann::json samples_json(const std::vector<StepTimes>& steps) {
  auto list = nlohmann::json::array();
  for (const StepTimes& step : steps) list.push_back(static_cast<double>(step.total_ns) * 1e-6);
  return list;
}

nlohmann::json side_json(const ComparedSide& side) {
  return {
      {"spec", to_json(side.spec)},
      {"step_ms", part_json(side, &StepTimes::total_ns)},
      {"parts_ms",
       {{"forward", part_json(side, &StepTimes::forward_ns)},
        {"backward", part_json(side, &StepTimes::backward_ns)},
        {"optimizer", part_json(side, &StepTimes::optimizer_ns)}}},
      {"samples_ms",
       {{"warmup", samples_json(side.warmup_steps)}, {"timed", samples_json(side.timed_steps)}}},
      {"backend_ran", side.facts.backend_ran},
      {"parameters", side.facts.parameters},
      {"peak_allocated", side.peak},
      {"limit", side.limit}};
}

nlohmann::json ratio_json(const stats::PairedRatio& ratio) {
  if (ratio.pairs == 0) return nullptr;
  nlohmann::json ci95 = nullptr;
  if (ratio.ci95) ci95 = {ratio.ci95->low, ratio.ci95->high};
  return {{"pairs", ratio.pairs},
          {"median", ratio.median},
          {"ci95", std::move(ci95)},
          {"verdict", to_string(ratio.verdict)}};
}

std::string side_name(int side) {
  return side == 0 ? "A" : "B";
}

}  // namespace

std::string comparison_sentence(const Comparison& comparison) {
  if (comparison.failure) {
    return fmt::format("{} ended early: {}", side_name(comparison.failed_side),
                       comparison.failure->sentence);
  }
  const stats::PairedRatio& ratio = comparison.total;
  const bool faster = ratio.verdict == stats::PairVerdict::faster;
  const auto shown = [&](double of) { return fmt::format("{:.3f}", faster ? 1 / of : of); };
  std::string basis = fmt::format("{} pairs", ratio.pairs);
  if (ratio.ci95) {
    const double low = faster ? ratio.ci95->high : ratio.ci95->low;
    const double high = faster ? ratio.ci95->low : ratio.ci95->high;
    basis = fmt::format("95 % CI {} to {}, {}", shown(low), shown(high), basis);
  }
  switch (ratio.verdict) {
    case stats::PairVerdict::faster:
      return fmt::format("B is {} times as fast as A ({})", shown(ratio.median), basis);
    case stats::PairVerdict::slower:
      return fmt::format("B takes {} times as long as A ({})", shown(ratio.median), basis);
    case stats::PairVerdict::same:
      return fmt::format("A and B take the same time: B takes {} times as long ({})",
                         shown(ratio.median), basis);
    case stats::PairVerdict::unclear:
      break;
  }
  return fmt::format("It is unclear which is faster: B takes {} times as long ({})",
                     shown(ratio.median), basis);
}

nlohmann::json to_json(const Comparison& comparison, const Protocol& protocol,
                       const nlohmann::json& environment) {
  auto different = nlohmann::json::array();
  const auto& [a, b] = comparison.sides;
  for (const SpecDifference& one : differences(a.spec, b.spec)) {
    different.push_back({{"key", one.key}, {"a", one.a}, {"b", one.b}});
  }
  nlohmann::json failure = nullptr;
  if (comparison.failure) {
    failure = {{"side", side_name(comparison.failed_side)},
               {"verdict", to_string(comparison.failure->verdict)},
               {"sentence", comparison.failure->sentence}};
  }
  return {{"sentence", comparison_sentence(comparison)},
          {"verdict", to_string(comparison.total.verdict)},
          {"failure", std::move(failure)},
          {"differences", std::move(different)},
          {"a", side_json(a)},
          {"b", side_json(b)},
          {"ratio",
           {{"total", ratio_json(comparison.total)},
            {"forward", ratio_json(comparison.forward)},
            {"backward", ratio_json(comparison.backward)},
            {"optimizer", ratio_json(comparison.optimizer)}}},
          {"protocol", to_json(protocol)},
          {"environment", environment}};
}

}  // namespace ts::run
