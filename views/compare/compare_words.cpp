#include "views/compare/compare_words.h"

#include "core/run/step_summary.h"
#include "core/text/numbers.h"

namespace ts::views {
namespace {

std::string median_words(const run::ComparedSide& side, std::int64_t run::StepTimes::*part) {
  const run::TimingSummary summary = run::summarise_steps(side.timed_steps, part);
  return summary.n > 0 ? text::duration_ns(summary.median_ms * 1e6).joined() : text::kNoNumber;
}

std::string pairs_of(const run::Comparison& comparison) {
  return text::grouped(static_cast<std::int64_t>(comparison.sides[0].timed_steps.size()));
}

}  // namespace

const char* verdict_key(stats::PairVerdict verdict) {
  switch (verdict) {
    case stats::PairVerdict::faster:
      return "compare.verdict.faster";
    case stats::PairVerdict::slower:
      return "compare.verdict.slower";
    case stats::PairVerdict::same:
      return "compare.verdict.same";
    case stats::PairVerdict::unclear:
      break;
  }
  return "compare.verdict.unclear";
}

std::string comparison_verdict(const run::Comparison& comparison, const text::Texts& texts) {
  if (comparison.failure) {
    return texts("compare.ended", {{"side", comparison.failed_side == 0 ? "A" : "B"},
                                   {"reason", comparison.failure->sentence}});
  }
  const std::string factor = text::decimal(run::factor_of(comparison.total).factor, 3);
  switch (comparison.total.verdict) {
    case stats::PairVerdict::faster:
      return texts("compare.faster", {{"factor", factor}});
    case stats::PairVerdict::slower:
      return texts("compare.slower", {{"factor", factor}});
    case stats::PairVerdict::same:
      return texts("compare.same");
    case stats::PairVerdict::unclear:
      break;
  }
  return texts("compare.unclear");
}

std::string comparison_state(const run::Comparison& comparison, double budget_s,
                             const text::Texts& texts) {
  switch (comparison.stage) {
    case run::Stage::compiling:
      return texts("verdict.compiling");
    case run::Stage::preparing:
      return texts("compare.preparing");
    case run::Stage::warmup:
      return texts("compare.warming_up");
    case run::Stage::timing:
      return texts("compare.timing", {{"pairs", pairs_of(comparison)},
                                      {"seconds", text::decimal(comparison.seconds, 0)},
                                      {"most", text::decimal(budget_s, 0)}});
    default:
      break;
  }
  const run::RatioFactor factor = run::factor_of(comparison.total);
  if (!factor.ci95) return texts("compare.few", {{"pairs", pairs_of(comparison)}});
  return texts("compare.basis", {{"low", text::decimal(factor.ci95->low, 3)},
                                 {"high", text::decimal(factor.ci95->high, 3)},
                                 {"pairs", pairs_of(comparison)}});
}

std::string break_even_words(const run::Comparison& comparison, const text::Texts& texts) {
  if (run::break_even_sentence(comparison).empty()) return {};
  const std::string seconds = text::decimal(comparison.sides[1].facts.compile_s, 1);
  const auto steps = run::break_even_steps(comparison);
  if (steps)
    return texts("compare.break_even", {{"seconds", seconds}, {"steps", text::grouped(*steps)}});
  const bool unclear = comparison.total.verdict == stats::PairVerdict::unclear;
  return texts(unclear ? "compare.break_even_unclear" : "compare.no_break_even",
               {{"seconds", seconds}});
}

std::vector<ComparisonRow> comparison_rows(const run::Comparison& comparison,
                                           const text::Texts& texts) {
  std::vector<ComparisonRow> rows;
  const auto add = [&](const char* key, const stats::PairedRatio& ratio,
                       std::int64_t run::StepTimes::*part) {
    if (ratio.pairs == 0) return;
    rows.push_back({texts(key), median_words(comparison.sides[0], part),
                    median_words(comparison.sides[1], part), ratio});
  };
  add("compare.step", comparison.total, &run::StepTimes::total_ns);
  // Where a step is all forward its line would only say the same again.
  if (comparison.backward.pairs > 0) {
    add("compare.forward", comparison.forward, &run::StepTimes::forward_ns);
    add("compare.backward", comparison.backward, &run::StepTimes::backward_ns);
  }
  add("compare.optimizer", comparison.optimizer, &run::StepTimes::optimizer_ns);
  return rows;
}

}  // namespace ts::views
