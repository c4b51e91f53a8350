#include "core/advice/advice_table.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/run/compare.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::advice {
namespace {

AdviceRow row_of(const Asked& asked, AdviceRow::Origin origin) {
  AdviceRow row;
  row.origin = origin;
  row.spec = asked.spec;
  row.bound = asked.bound;
  row.fit = asked.answer.fit;
  row.needed = asked.answer.needed;
  row.problem = asked.problem;
  return row;
}

AdviceRow row_of(const Advice& advice, std::size_t recipe) {
  const RecipeSearch::Known& known = advice.search.known(recipe);
  AdviceRow row;
  row.spec = advice.search.recipes()[recipe].spec;
  row.bound = advice.search.recipes()[recipe].bound;
  row.fit = known.answer.fit;
  row.needed = known.answer.needed;
  row.at_least = known.state == RecipeSearch::State::too_large;
  row.problem = known.refusal;
  if (const auto measured = advice.measured_s.find(recipe); measured != advice.measured_s.end()) {
    row.measured_s = measured->second;
  }
  return row;
}

// The recipe of this kind that needs least, as far as known. Used if none of the kind fits.
std::optional<std::size_t> smallest_of(const RecipeSearch& search, const RecipeSearch::Kind& kind) {
  std::optional<std::size_t> smallest;
  for (const std::size_t recipe : kind.recipes) {
    const RecipeSearch::State state = search.known(recipe).state;
    if (state != RecipeSearch::State::asked && state != RecipeSearch::State::too_large) continue;
    if (!smallest || search.known(recipe).answer.needed < search.known(*smallest).answer.needed) {
      smallest = recipe;
    }
  }
  return smallest;
}

std::string verdict_text(const AdviceRow& row, const text::Texts& texts) {
  if (!row.problem.empty()) {
    const base::Message& why = row.problem;
    return why.key.empty() ? why.sentence : texts(why.key, std::span(why.arguments));
  }
  switch (row.fit) {
    case predict::Fit::fits:
      return texts("advice.verdict.fits");
    case predict::Fit::fits_after_flush:
      return texts("advice.verdict.flush");
    case predict::Fit::oom:
      return texts("advice.verdict.oom");
  }
  return {};
}

const char* name_of(AdviceRow::Origin origin) {
  constexpr std::array kNames = {"best", "kind", "as_set", "lab_rule"};
  return kNames[static_cast<std::size_t>(origin)];
}

std::string time_text(double seconds) {
  return text::duration_ns(seconds * 1e9).joined();
}

nlohmann::json bound_json(const std::optional<StepBound>& bound) {
  if (!bound) return nullptr;
  return {{"step_s", bound->seconds},
          {"compute_s", bound->compute_s},
          {"memory_s", bound->memory_s},
          {"slowest", spec::to_string(bound->slowest)},
          {"limited_by", bound->slowest_by_memory ? "memory" : "compute"}};
}

nlohmann::json changes_json(const spec::WorkloadSpec& before, const spec::WorkloadSpec& after) {
  nlohmann::json all = nlohmann::json::array();
  for (const run::SpecDifference& one : run::differences(before, after))
    all.push_back(one.key + "=" + one.b);
  return all;
}

nlohmann::json row_json(const AdviceRow& row, const Advice& advice) {
  nlohmann::json json = {{"row", name_of(row.origin)},
                         {"set", changes_json(advice.request.settings, row.spec)},
                         {"B", row.spec.batch},
                         {"micro_batches", spec::micro_batches(row.spec)},
                         {"bound", bound_json(row.bound)}};
  if (row.measured_s) json["measured_step_s"] = *row.measured_s;
  if (!row.problem.empty()) {
    json["problem"] = row.problem.sentence;
    return json;
  }
  json["verdict"] = predict::to_string(row.fit);
  json[row.at_least ? "needed_at_least" : "needed"] = row.needed;
  if (!row.at_least) json["headroom"] = advice.request.target.memory - row.needed;
  if (row.tokens_per_s() > 0) {
    json[row.measured_s ? "tokens_per_s" : "tokens_per_s_at_most"] = row.tokens_per_s();
  }
  return json;
}

const char* state_name(RecipeSearch::State state) {
  constexpr std::array kNames = {"unknown", "dry_run", "concluded", "refused"};
  return kNames[static_cast<std::size_t>(state)];
}

}  // namespace

std::string AdviceRow::tokens_words() const {
  const double tokens = tokens_per_s();
  if (tokens <= 0) return text::kNoNumber;
  return (measured_s ? "" : "\xe2\x89\xa4 ") + text::grouped(static_cast<std::int64_t>(tokens));
}

double AdviceRow::tokens_per_s() const {
  const double seconds = measured_s ? *measured_s : bound ? bound->seconds : 0;
  return seconds > 0 ? static_cast<double>(spec::tokens_per_step(spec)) / seconds : 0;
}

std::vector<AdviceRow> advice_rows(const Advice& advice) {
  std::vector<AdviceRow> rows;
  std::vector<AdviceRow> none;
  std::vector<std::size_t> fitting;
  for (const RecipeSearch::Kind& kind : advice.search.kinds()) {
    if (!kind.decided) continue;
    if (kind.best) {
      fitting.push_back(*kind.best);
    } else if (const auto smallest = smallest_of(advice.search, kind)) {
      none.push_back(row_of(advice, *smallest));
    }
  }
  // The best one is known before its kind is.
  const auto best = advice.search.best();
  if (best && std::ranges::count(fitting, *best) == 0) fitting.push_back(*best);
  std::ranges::sort(fitting);
  for (const std::size_t recipe : fitting) {
    rows.push_back(row_of(advice, recipe));
    if (best == recipe) rows.back().origin = AdviceRow::Origin::best;
  }
  std::ranges::stable_sort(rows, [](const AdviceRow& a, const AdviceRow& b) {
    if (a.measured_s.has_value() != b.measured_s.has_value()) return a.measured_s.has_value();
    return a.measured_s && a.tokens_per_s() > b.tokens_per_s();
  });
  rows.insert(rows.end(), none.begin(), none.end());
  if (advice.as_set.done) rows.push_back(row_of(advice.as_set, AdviceRow::Origin::as_set));
  if (advice.lab_rule.done) rows.push_back(row_of(advice.lab_rule, AdviceRow::Origin::lab_rule));
  return rows;
}

std::string precision_text(const spec::WorkloadSpec& spec) {
  const spec::DataType compute = spec::compute_type(spec);
  if (compute == spec.dtype) return spec::to_string(spec.dtype);
  std::string words;
  if (spec.dtype != spec::DataType::fp32) words = std::string(spec::to_string(spec.dtype)) + " + ";
  words += std::string(spec::to_string(compute)) + " autocast";
  return spec::scales_loss(spec) ? words + ", GradScaler" : words;
}

std::string limit_text(const StepBound& bound, const text::Texts& texts) {
  return texts("advice.limit",
               {{"part", texts("advice.part." + std::string(spec::to_string(bound.slowest)))},
                {"by", texts(bound.slowest_by_memory ? "advice.by.memory" : "advice.by.compute")}});
}

base::Message advice_sentence(const Advice& advice) {
  if (!advice.problem.empty()) return advice.problem;
  const RecipeSearch& search = advice.search;
  const std::string target = advice.request.target.name;
  const std::string count = text::grouped(static_cast<std::int64_t>(search.recipes().size()));
  const std::string runs = text::grouped(static_cast<std::int64_t>(search.dry_runs()));
  if (!search.decided()) {
    return text::message(advice.cancelled ? "advice.cancelled" : "advice.searching",
                         {{"count", count}, {"runs", runs}});
  }
  const auto& rows = advice_rows(advice);
  if (!search.best()) {
    return text::message("advice.none", {{"count", count}, {"target", target}, {"runs", runs}});
  }
  const AdviceRow& first = rows.front();
  std::vector<base::Argument> arguments = {
      {"target", target},
      {"precision", precision_text(first.spec)},
      {"backend", spec::to_string(first.spec.backend)},
      {"batch", text::grouped(first.spec.batch)},
      {"micro", text::grouped(spec::micro_batches(first.spec))},
      {"time", time_text(first.measured_s ? *first.measured_s : first.bound->seconds)},
      {"needed", text::bytes(first.needed).joined()},
      {"count", count},
      {"runs", runs}};
  return text::message(first.measured_s ? "advice.best_measured" : "advice.best_bound",
                       std::move(arguments));
}

base::Message rule_sentence(const Advice& advice) {
  const Asked& rule = advice.lab_rule;
  if (!rule.done) return {};
  std::vector<base::Argument> arguments = {
      {"batch", text::grouped(rule.spec.batch)},
      {"micro", text::grouped(spec::micro_batches(rule.spec))},
      {"checkpoint", spec::field_text(rule.spec, spec::Field::checkpoint)},
      {"target", advice.request.target.name}};
  if (!rule.problem.empty()) {
    arguments.push_back(text::argument("reason", rule.problem));
    return text::message("advice.rule.impossible", std::move(arguments));
  }
  arguments.emplace_back("needed", text::bytes(rule.answer.needed).joined());
  switch (rule.answer.fit) {
    case predict::Fit::fits:
      return text::message("advice.rule.fits", std::move(arguments));
    case predict::Fit::fits_after_flush:
      return text::message("advice.rule.flush", std::move(arguments));
    case predict::Fit::oom:
      return text::message("advice.rule.oom", std::move(arguments));
  }
  return {};
}

io::TextTable advice_table(const Advice& advice, const text::Texts& texts) {
  const std::vector<AdviceRow> rows = advice_rows(advice);
  const bool measured =
      std::ranges::any_of(rows, [](const AdviceRow& row) { return row.measured_s.has_value(); });
  io::TextTable table;
  const auto column = [&](const char* key, bool right) {
    table.columns.emplace_back(texts(key));
    table.right.push_back(right);
  };
  column("advice.column.row", false);
  column("controls.field.dtype", false);
  column("controls.field.backend", false);
  column("controls.field.checkpoint", false);
  column("controls.field.optimizer", false);
  column("controls.field.B", true);
  column("controls.field.accumulate", true);
  if (measured) column("advice.column.measured", true);
  column("advice.column.bound", true);
  column("advice.column.tokens", true);
  column("advice.column.limit", false);
  column("advice.column.needed", true);
  column("advice.column.headroom", true);
  column("advice.column.verdict", false);
  const auto where = [](const AdviceRow& row, spec::Field field) {
    return spec::field_applies(row.spec, field) ? spec::field_text(row.spec, field)
                                                : std::string(text::kNoNumber);
  };
  for (const AdviceRow& row : rows) {
    const bool known = row.problem.empty();
    std::vector<std::string> cells = {texts("advice.row." + std::string(name_of(row.origin))),
                                      precision_text(row.spec),
                                      where(row, spec::Field::backend),
                                      where(row, spec::Field::checkpoint),
                                      where(row, spec::Field::optimizer),
                                      text::grouped(row.spec.batch),
                                      text::grouped(spec::micro_batches(row.spec))};
    if (measured) {
      cells.push_back(row.measured_s ? time_text(*row.measured_s) : text::kNoNumber);
    }
    cells.push_back(row.bound ? time_text(row.bound->seconds) : text::kNoNumber);
    cells.push_back(row.tokens_words());
    cells.push_back(row.bound ? limit_text(*row.bound, texts) : text::kNoNumber);
    const std::string size = text::bytes(row.needed).joined();
    cells.push_back(!known         ? text::kNoNumber
                    : row.at_least ? texts("advice.at_least", {{"size", size}})
                                   : size);
    cells.push_back(known && !row.at_least
                        ? text::bytes(advice.request.target.memory - row.needed).joined()
                        : text::kNoNumber);
    cells.push_back(verdict_text(row, texts));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

nlohmann::json to_json(const Advice& advice, bool every_recipe) {
  const RecipeSearch& search = advice.search;
  nlohmann::json rows = nlohmann::json::array();
  for (const AdviceRow& row : advice_rows(advice)) rows.push_back(row_json(row, advice));
  const predict::PredictionTarget& target = advice.request.target;
  nlohmann::json json = {
      {"spec", spec::to_json(advice.request.settings)},
      {"target",
       {{"name", target.name}, {"memory", target.memory}, {"capacity", target.capacity()}}},
      {"ranked_by", advice.measured_s.empty() ? "bound" : "measured, then bound"},
      {"recipes", search.recipes().size()},
      {"dry_runs", search.dry_runs()},
      {"concluded", search.count(RecipeSearch::State::too_large)},
      {"seconds", advice.seconds},
      {"best_after_s", advice.decided_after ? nlohmann::json(*advice.decided_after) : nullptr},
      {"sentence", advice_sentence(advice).sentence},
      {"rule_sentence", rule_sentence(advice).sentence},
      {"rows", std::move(rows)}};
  for (const nlohmann::json& row : json["rows"]) {
    if (row["row"] != name_of(AdviceRow::Origin::kind)) json[row["row"].get<std::string>()] = row;
  }
  if (!every_recipe) return json;
  nlohmann::json all = nlohmann::json::array();
  for (std::size_t i = 0; i < search.recipes().size(); ++i) {
    const RecipeSearch::Known& known = search.known(i);
    nlohmann::json one;
    if (known.state == RecipeSearch::State::unknown) {
      one = {{"set", changes_json(advice.request.settings, search.recipes()[i].spec)},
             {"bound", bound_json(search.recipes()[i].bound)},
             {"tokens_per_s_at_most", search.recipes()[i].tokens_per_s}};
    } else {
      one = row_json(row_of(advice, i), advice);
      one.erase("row");
    }
    one["known"] = state_name(known.state);
    all.push_back(std::move(one));
  }
  json["every_recipe"] = std::move(all);
  return json;
}

}  // namespace ts::advice
