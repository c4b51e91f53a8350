#include "views/compare/compare_text.h"

#include "core/report/compare_report.h"
#include "core/run/step_summary.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/text/numbers.h"
#include "views/charts/one_unit.h"
#include "views/common/spec_text.h"

namespace ts::views {
namespace {

// Negative if there are no steps.
double median_ns(const run::ComparedSide& side, std::int64_t run::StepTimes::*part) {
  const run::TimingSummary summary = run::summarise_steps(side.timed_steps, part);
  return summary.n > 0 ? summary.median_ms * 1e6 : -1;
}

std::string pairs_of(const run::Comparison& comparison) {
  return text::grouped(comparison.sides[0].timed_steps.size());
}

}  // namespace

std::array<std::string, 2> side_names(const run::Comparison& comparison, const text::Texts& texts) {
  const auto differences = run::differences(comparison.sides[0].spec, comparison.sides[1].spec);
  if (differences.size() != 1) return {"A", "B"};
  const run::SpecDifference& one = differences.front();
  const auto field = spec::field_from_name(one.key);
  const auto name = [&](const std::string& value) {
    if (!field) return one.key + " = " + value;
    if (spec::field_as<spec::ChoiceField>(*field) != nullptr) {
      return value_text(texts, *field, value);
    }
    if (spec::field_as<spec::FlagField>(*field) != nullptr) {
      return field_text(texts, *field) + " " + value_text(texts, *field, value);
    }
    return one.key + " = " + value;
  };
  return {name(one.a), name(one.b)};
}

std::string ratio_note(const run::Comparison& comparison, const text::Texts& texts) {
  const auto total = &run::StepTimes::total_ns;
  const double a = median_ns(comparison.sides[0], total);
  const double b = median_ns(comparison.sides[1], total);
  if (comparison.total.pairs == 0 || !(a > 0) || !(b > 0)) return {};
  const std::string ratio = text::decimal(comparison.total.median, 3);
  const std::string medians = text::decimal(b / a, 3);
  if (ratio == medians) return {};
  return texts("compare.ratio_note", {{"ratio", ratio}, {"medians", medians}});
}

const char* verdict_key(const stats::PairedRatio& ratio) {
  const auto [faster, slower, same, unclear, too_few] = kVerdictKeys;
  switch (ratio.verdict) {
    case stats::PairVerdict::faster:
      return faster;
    case stats::PairVerdict::slower:
      return slower;
    case stats::PairVerdict::same:
      return same;
    case stats::PairVerdict::unclear:
      break;
  }
  // Beside an interval that excludes 1 this is the reason.
  return ratio.pairs < stats::kFewestPairs ? too_few : unclear;
}

std::string comparison_verdict(const run::Comparison& comparison, const text::Texts& texts) {
  const auto [a, b] = side_names(comparison, texts);
  return message_text(texts, report::comparison_verdict(comparison, a, b));
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
  return message_text(texts, report::comparison_basis(comparison));
}

std::vector<ComparisonRow> comparison_rows(const run::Comparison& comparison,
                                           const text::Texts& texts) {
  struct Part {
    const char* key;
    const stats::PairedRatio* ratio;
    std::int64_t run::StepTimes::*time;
  };
  // If the whole step is forward, a forward line would only repeat it.
  const bool parted = comparison.backward.pairs > 0;
  std::vector<Part> parts = {{"compare.step", &comparison.total, &run::StepTimes::total_ns}};
  if (parted)
    parts.push_back({"compare.forward", &comparison.forward, &run::StepTimes::forward_ns});
  if (parted)
    parts.push_back({"compare.backward", &comparison.backward, &run::StepTimes::backward_ns});
  parts.push_back({"compare.optimizer", &comparison.optimizer, &run::StepTimes::optimizer_ns});
  std::erase_if(parts, [](const Part& part) { return part.ratio->pairs == 0; });
  std::vector<double> times;
  for (const Part& part : parts) {
    for (const run::ComparedSide& side : comparison.sides)
      times.push_back(median_ns(side, part.time));
  }
  const OneUnit unit = duration_unit(times);
  std::vector<ComparisonRow> rows;
  const auto words = [&unit](double ns) {
    return ns < 0 ? std::string(text::kNoNumber) : unit.joined(ns);
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    rows.push_back(
        {texts(parts[i].key), words(times[2 * i]), words(times[2 * i + 1]), *parts[i].ratio});
  }
  return rows;
}

}  // namespace ts::views
