#include "core/report/compare_report.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/run/protocol_json.h"
#include "core/run/step_summary.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::report {

namespace {

nlohmann::json side_part_json(const run::ComparedSide& side, std::int64_t run::StepTimes::*part) {
  run::TimingSummary summary = run::summarise_steps(side.timed_steps, part);
  if (summary.n == 0) return nullptr;
  run::set_warmup(summary, side.warmup_stable, side.warmup_steps.size());
  return to_json(summary);
}

nlohmann::json side_json(const run::ComparedSide& side) {
  return {{"spec", to_json(side.spec)},
          {"step_ms", side_part_json(side, &run::StepTimes::total_ns)},
          {"parts_ms",
           {{"forward", side_part_json(side, &run::StepTimes::forward_ns)},
            {"backward", side_part_json(side, &run::StepTimes::backward_ns)},
            {"optimizer", side_part_json(side, &run::StepTimes::optimizer_ns)}}},
          {"samples_ms",
           {{"warmup", run::samples_json(side.warmup_steps)},
            {"timed", run::samples_json(side.timed_steps)}}},
          {"backend_ran", side.facts.backend_ran},
          {"parameters", side.facts.parameters},
          {"trained_parameters", side.facts.trained},
          {"compile_s",
           side.facts.compile_s > 0 ? nlohmann::json(side.facts.compile_s) : nlohmann::json()},
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

std::string in_ms(double ms) {
  return ms < 0 ? text::kNoNumber : text::duration_ms(ms).joined();
}

std::vector<std::string> row_of(const char* title, const run::Comparison& comparison,
                                const stats::PairedRatio& ratio,
                                std::int64_t run::StepTimes::*part) {
  std::vector<std::string> row{title};
  for (const run::ComparedSide& side : comparison.sides) {
    const run::TimingSummary summary = run::summarise_steps(side.timed_steps, part);
    std::string words = in_ms(summary.median_ms);
    if (summary.std_ms >= 0) {
      words += ", mean " + in_ms(summary.mean_ms) + " \xc2\xb1 " + in_ms(summary.std_ms);
    }
    row.push_back(std::move(words));
  }
  std::string words = text::decimal(ratio.median, 3);
  if (ratio.ci95) {
    words += " (" + text::decimal(ratio.ci95->low, 3) + " to " +
             text::decimal(ratio.ci95->high, 3) + ")";
  }
  row.push_back(ratio.pairs > 0 ? words : text::kNoNumber);
  return row;
}

std::string side_name(int side) {
  return side == 0 ? "A" : "B";
}

// A ratio of times B / A as a readable factor: if B is faster, how many times as fast it is, else
// how many times as long it takes.
struct RatioFactor {
  double factor = 0;
  std::optional<stats::Interval> ci95;
};

RatioFactor factor_of(const stats::PairedRatio& ratio) {
  if (ratio.verdict != stats::PairVerdict::faster) return {ratio.median, ratio.ci95};
  RatioFactor inverse{1 / ratio.median, std::nullopt};
  if (ratio.ci95) inverse.ci95 = {1 / ratio.ci95->high, 1 / ratio.ci95->low};
  return inverse;
}

}  // namespace

io::TextTable comparison_table(const run::Comparison& comparison) {
  const auto& [a, b] = comparison.sides;
  io::TextTable table{.columns = {"", "A, median", "B, median", "B / A (95 % CI)"},
                      .right = {false, true, true, true}};
  table.rows.push_back(row_of("step", comparison, comparison.total, &run::StepTimes::total_ns));
  if (comparison.forward.pairs > 0 && comparison.backward.pairs > 0) {
    table.rows.push_back(
        row_of("forward", comparison, comparison.forward, &run::StepTimes::forward_ns));
    table.rows.push_back(
        row_of("backward", comparison, comparison.backward, &run::StepTimes::backward_ns));
  }
  if (comparison.optimizer.pairs > 0) {
    table.rows.push_back(
        row_of("optimizer", comparison, comparison.optimizer, &run::StepTimes::optimizer_ns));
  }
  table.rows.push_back(
      {"peak allocated", text::bytes(a.peak).joined(), text::bytes(b.peak).joined(),
       a.peak > 0 ? text::decimal(static_cast<double>(b.peak) / static_cast<double>(a.peak), 3)
                  : std::string(text::kNoNumber)});
  return table;
}

std::string sides_text(const run::Comparison& comparison) {
  const auto& [a, b] = comparison.sides;
  std::string words;
  for (const run::SpecDifference& one : run::differences(a.spec, b.spec))
    words += one.key + ": A " + one.a + ", B " + one.b + "\n";
  return words;
}

std::optional<std::int64_t> break_even_steps(const run::Comparison& comparison) {
  const auto& [a, b] = comparison.sides;
  if (a.facts.compile_s > 0 || b.facts.compile_s <= 0) return std::nullopt;
  if (comparison.total.verdict != stats::PairVerdict::faster) return std::nullopt;
  const double saved_ms = run::summarise_steps(a.timed_steps, &run::StepTimes::total_ns).median_ms -
                          run::summarise_steps(b.timed_steps, &run::StepTimes::total_ns).median_ms;
  if (saved_ms <= 0) return std::nullopt;
  return static_cast<std::int64_t>(std::ceil(b.facts.compile_s * 1e3 / saved_ms));
}

base::Message break_even_sentence(const run::Comparison& comparison) {
  const auto& [a, b] = comparison.sides;
  if (a.facts.compile_s > 0 || b.facts.compile_s <= 0) return {};
  const std::string seconds = text::decimal(b.facts.compile_s, 1);
  if (const auto steps = break_even_steps(comparison)) {
    return text::message("compare.break_even",
                         {{"seconds", seconds}, {"steps", text::grouped(*steps)}});
  }
  const bool unclear = comparison.total.verdict == stats::PairVerdict::unclear;
  return text::message(unclear ? "compare.break_even_unclear" : "compare.no_break_even",
                       {{"seconds", seconds}});
}

namespace {

// "B takes 1.420 times as long as A".
base::Message takes_longer(const run::Comparison& comparison, const std::string& a,
                           const std::string& b) {
  const std::string factor = text::decimal(factor_of(comparison.total).factor, 3);
  return text::message("compare.slower", {{"a", a}, {"b", b}, {"factor", factor}});
}

}  // namespace

base::Message comparison_verdict(const run::Comparison& comparison, const std::string& a,
                                 const std::string& b) {
  if (comparison.failure) {
    return text::message("compare.ended", {{"side", comparison.failed_side == 0 ? a : b},
                                           text::argument("reason", *comparison.failure)});
  }
  const stats::PairedRatio& ratio = comparison.total;
  switch (ratio.verdict) {
    case stats::PairVerdict::faster:
      return text::message(
          "compare.faster",
          {{"a", a}, {"b", b}, {"factor", text::decimal(factor_of(ratio).factor, 3)}});
    case stats::PairVerdict::slower:
      return takes_longer(comparison, a, b);
    case stats::PairVerdict::same:
      return text::message("compare.same", {{"a", a}, {"b", b}});
    case stats::PairVerdict::unclear:
      break;
  }
  if (ratio.pairs > 0 && ratio.pairs < stats::kFewestPairs)
    return text::message("compare.too_few", {{"least", std::to_string(stats::kFewestPairs)}});
  return text::message("compare.unclear");
}

base::Message comparison_basis(const run::Comparison& comparison) {
  const auto taken = static_cast<std::int64_t>(comparison.sides[0].timed_steps.size());
  const std::string pairs = text::grouped(taken);
  const RatioFactor shown = factor_of(comparison.total);
  if (!shown.ci95) return text::message("compare.few", {{"pairs", pairs}});
  return text::message("compare.basis", {{"low", text::decimal(shown.ci95->low, 3)},
                                         {"high", text::decimal(shown.ci95->high, 3)},
                                         {"pairs", pairs}});
}

base::Message comparison_sentence(const run::Comparison& comparison) {
  base::Message verdict = comparison_verdict(comparison, "A", "B");
  if (comparison.failure) return verdict;
  const stats::PairVerdict found = comparison.total.verdict;
  if (found == stats::PairVerdict::faster || found == stats::PairVerdict::slower) {
    return text::message("compare.sentence",
                         {text::argument("verdict", verdict),
                          text::argument("basis", comparison_basis(comparison))});
  }
  return text::message("compare.sentence_undecided",
                       {text::argument("verdict", verdict),
                        text::argument("longer", takes_longer(comparison, "A", "B")),
                        text::argument("basis", comparison_basis(comparison))});
}

nlohmann::json to_json(const run::Comparison& comparison, const run::Protocol& protocol,
                       const nlohmann::json& environment) {
  auto different = nlohmann::json::array();
  const auto& [a, b] = comparison.sides;
  for (const run::SpecDifference& one : run::differences(a.spec, b.spec)) {
    different.push_back({{"key", one.key}, {"a", one.a}, {"b", one.b}});
  }
  nlohmann::json failure = nullptr;
  if (comparison.failure) {
    failure = {{"side", side_name(comparison.failed_side)},
               {"verdict", to_string(comparison.failure->verdict)},
               {"sentence", comparison.failure->sentence}};
  }
  const auto paid = break_even_steps(comparison);
  const base::Message said = comparison_sentence(comparison);
  return {{"sentence", said.sentence},
          {"text", text::text_json(said)},
          {"break_even_steps", paid ? nlohmann::json(*paid) : nlohmann::json()},
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

}  // namespace ts::report
