#include "core/lessons/lesson_plan.h"

#include <algorithm>

#include "core/lessons/point_name.h"
#include "core/loader/loading_report.h"
#include "core/run/compare.h"
#include "core/spec/presets.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/stats/occupancy.h"
#include "core/text/joined.h"
#include "core/text/message.h"
#include "core/text/typed_numbers.h"

namespace ts::lessons {
namespace {

// The word in quotes if the shell would split it.
std::string shell_word(const std::string& word) {
  return word.find_first_of(" '\"$*;&|<>()") == word.npos ? word : "\"" + word + "\"";
}

void add_text(std::string& command, const char* option, const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    command.append(" ").append(option).append(" ").append(shell_word(value));
  }
}

// Applies settings that are written as for --set. The first one that fails is the problem.
bool apply(ObjectReader& reader, const char* key, const std::vector<std::string>& settings,
           spec::WorkloadSpec& spec) {
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      reader.wrong(text::message("lesson_file.no_setting", {{"key", key}, {"text", setting}}));
      return false;
    }
    if (auto set = spec::set_setting(spec, setting); !set) {
      reader.wrong(set.error());
      return false;
    }
  }
  return true;
}

bool possible(ObjectReader& reader, const spec::WorkloadSpec& spec) {
  const auto problems = spec::validate(spec);
  if (!problems.empty()) reader.wrong(problems.front());
  return problems.empty();
}

// Workload, preset, device and card.
bool read_base(ObjectReader& reader, const spec::GpuCatalogue& gpus, StepPlan& plan) {
  const std::string workload = reader.text("workload");
  if (!reader.good()) return false;
  if (auto set = spec::set_field(plan.spec, "workload", workload); !set) {
    reader.wrong(set.error());
    return false;
  }
  plan.command = std::string(to_string(plan.kind)) + " " + workload;
  const std::string preset = reader.text_or("preset", "");
  if (preset.empty()) {
    spec::choose_workload(plan.spec.workload, plan.spec);
  } else if (spec::apply_presets(preset, plan.spec)) {
    plan.command += " --preset " + preset;
  } else {
    reader.wrong(
        text::message("lesson_file.no_preset", {{"preset", preset}, {"workload", workload}}));
  }
  const std::string gpu = reader.text_or("gpu", "");
  if (!gpu.empty()) {
    const auto card = gpus.require(gpu);
    if (!card) {
      reader.wrong(card.error());
      return false;
    }
    plan.gpu = (*card)->name;
    plan.spec.target_gpu = plan.gpu;
    plan.spec.device = spec::DeviceKind::cuda;
  }
  return reader.good();
}

void read_sweep(ObjectReader& reader, StepPlan& plan) {
  plan.sweep.base = plan.spec;
  plan.sweep.only_predicted = !plan.gpu.empty();
  const auto axes = reader.texts("axes");
  const auto series = reader.texts("series");
  for (const std::string& text : axes) {
    auto axis = sweep::parse_axis(text);
    if (!axis) return reader.wrong(axis.error());
    plan.sweep.axes.push_back(std::move(*axis));
  }
  for (const std::string& text : series) {
    auto one = sweep::parse_series(text);
    if (!one) return reader.wrong(one.error());
    plan.sweep.series.push_back(std::move(*one));
  }
  if (axes.empty()) return reader.wrong(text::message("lesson_file.no_axes"));
  plan.sweep.protocol = plan.protocol;
  if (const auto seconds = reader.whole("max_seconds", 1, 3600)) {
    plan.sweep.max_point_s = static_cast<double>(*seconds);
    plan.command += " --max-seconds " + std::to_string(*seconds);
  }
  if (auto good = sweep::check(plan.sweep); !good) return reader.wrong(good.error());
  add_text(plan.command, "--axis", axes);
  add_text(plan.command, "--series", series);
  const std::string fit = reader.text_or("fit", "");
  if (fit.empty()) return;
  const std::size_t colon = std::min(fit.find(':'), fit.size() - 1);
  const auto low = text::parse_count(fit.substr(0, colon));
  const auto high = text::parse_count(fit.substr(colon + 1));
  if (!low || !high || *low > *high) {
    return reader.wrong(text::message("lesson_file.bad_fit", {{"text", fit}}));
  }
  plan.fit = {.low = *low, .high = *high};
  plan.command += " --fit " + fit;
}

void read_hunt(ObjectReader& reader, StepPlan& plan) {
  const std::string text = reader.text("axis");
  if (!reader.good()) return;
  auto axis = predict::parse_hunt_axis(text);
  if (!axis) return reader.wrong(axis.error());
  plan.axis = *axis;
  plan.command += " --axis " + text;
}

void read_ab(ObjectReader& reader, StepPlan& plan) {
  plan.other = plan.spec;
  const auto with = reader.texts("with");
  if (!apply(reader, "with", with, plan.other) || !possible(reader, plan.other)) return;
  if (plan.other == plan.spec) return reader.wrong(text::message("lesson_file.same_sides"));
  add_text(plan.command, "--with", with);
}

void read_steps(ObjectReader& reader, StepPlan& plan) {
  const bool pairs = plan.kind == StepKind::ab;
  const auto steps = reader.whole(pairs ? "pairs" : "steps", 1, 100000);
  if (pairs) plan.protocol = run::comparison_protocol();
  if (plan.kind == StepKind::run) {
    plan.protocol.check_values = true;
    plan.command += " --check-values";
  }
  if (!steps) return;
  plan.protocol.min_samples = plan.protocol.max_samples = static_cast<std::int32_t>(*steps);
  plan.protocol.hard_budget_s = 1e9;
  plan.command += (pairs ? " --pairs " : " --steps ") + std::to_string(*steps);
}

void allow_keys(ObjectReader& reader, StepKind kind) {
  switch (kind) {
    case StepKind::run:
      return reader.allow({"kind", "workload", "preset", "set", "steps", "text"});
    case StepKind::predict:
      return reader.allow({"kind", "workload", "preset", "set", "gpu"});
    case StepKind::sweep:
      return reader.allow({"kind", "workload", "preset", "set", "steps", "axes", "series", "fit",
                           "max_seconds", "gpu"});
    case StepKind::hunt:
      return reader.allow({"kind", "workload", "preset", "set", "axis", "gpu"});
    case StepKind::ab:
      return reader.allow({"kind", "workload", "preset", "set", "with", "pairs"});
    case StepKind::advise:
      return reader.allow({"kind", "workload", "preset", "set", "gpu"});
    case StepKind::calculate:
      return reader.allow({"kind", "calculator", "set"});
    case StepKind::simulate:
      return reader.allow({"kind", "simulation", "set", "over"});
    case StepKind::step:
      return reader.allow({"kind", "stepper", "set", "gpu", "at"});
    case StepKind::load:
      return reader.allow({"kind", "what", "set", "over"});
  }
}

void read_calculation(ObjectReader& reader, StepPlan& plan) {
  const std::string id = reader.text("calculator");
  const auto settings = reader.texts("set");
  if (!reader.good()) return;
  const auto calculator = calculate::calculator_from(id);
  if (!calculator) return reader.wrong(calculator.error());
  plan.calculation.emplace(**calculator);
  for (const std::string& setting : settings) {
    if (auto set = plan.calculation->set(setting); !set) return reader.wrong(set.error());
  }
  plan.command = "calculate " + id;
  for (const std::string& setting : settings) plan.command += " " + shell_word(setting);
}

// A simulation, or what is loaded.
void read_experiment(ObjectReader& reader, StepPlan& plan) {
  const bool loads = plan.kind == StepKind::load;
  const std::string id = reader.text(loads ? "what" : "simulation");
  const auto settings = reader.texts("set");
  const std::string over = reader.text_or("over", "");
  if (!reader.good()) return;
  auto experiment =
      loads ? loader::question_of(id, settings, over) : simulate::experiment_of(id, settings, over);
  if (!experiment) return reader.wrong(experiment.error());
  plan.experiment = std::move(*experiment);
  plan.command = (loads ? "loader " : "simulate ") + id;
  for (const std::string& setting : settings) plan.command += " " + shell_word(setting);
  if (!over.empty()) plan.command += " --over " + over;
}

void read_stepping(ObjectReader& reader, const spec::GpuCatalogue& gpus, StepPlan& plan) {
  const std::string id = reader.text("stepper");
  const auto settings = reader.texts("set");
  const std::string gpu = reader.text_or("gpu", "");
  const auto at = reader.whole("at", 1, 1'000'000);
  if (!reader.good()) return;
  auto exercise = stepper::exercise_of(id, settings);
  if (!exercise) return reader.wrong(exercise.error());
  plan.command = "step " + id;
  for (const std::string& setting : settings) plan.command += " " + shell_word(setting);
  if (!gpu.empty()) {
    const auto card = gpus.require(gpu);
    if (!card) return reader.wrong(card.error());
    const auto limit = stats::largest_shared_block((*card)->compute_capability);
    const auto chosen = stepper::choose_card(*exercise, (*card)->name, limit);
    if (!chosen) return reader.wrong(chosen.error());
    plan.command += " --gpu \"" + (*card)->name + "\"";
  }
  plan.step_shown = static_cast<std::size_t>(at.value_or(0));
  plan.stepping = std::move(*exercise);
}

base::Result<void> check_among(const std::string& name, const auto& list) {
  const bool known = std::ranges::any_of(list, [&](const auto& one) { return one.name == name; });
  if (known) return {};
  const std::string names = text::joined(list, ", ", [](const auto& one) { return one.name; });
  return text::fail("lesson_file.no_term", {{"name", name}, {"all", names}});
}

std::span<const calculate::Input> inputs_of(const StepPlan& plan) {
  if (plan.calculation) return plan.calculation->inputs();
  return plan.stepping ? plan.stepping->chosen.inputs() : plan.experiment->chosen.inputs();
}

const std::vector<simulate::Figure>& known_figures(const simulate::Simulation& of) {
  return of.run == nullptr ? loader::figures_of(of) : simulate::figures_of(of);
}

base::Result<void> check_figure(const std::string& argument, const simulate::Experiment& of) {
  const PointName name = point_name(argument);
  if (auto known = check_among(name.series, known_figures(*of.simulation)); !known) return known;
  if (of.over.empty()) {
    return name.at.empty() ? base::Result<void>() : text::fail("lesson_file.too_many_places");
  }
  if (name.at.size() != 1 || name.at.front().first != of.over)
    return text::fail("lesson_file.no_place", {{"name", of.over}});
  const std::string& value = name.at.front().second;
  const bool there = std::ranges::any_of(
      of.numbers, [&](std::int64_t number) { return std::to_string(number) == value; });
  if (there) return {};
  return text::fail("lesson_file.no_number_of", {{"name", of.over}, {"value", value}});
}

base::Result<void> check_point(const std::string& argument, const StepPlan& plan, bool place) {
  const PointName name = point_name(argument);
  const auto all = sweep::series_of(plan.sweep);
  const bool known = std::ranges::any_of(
      all, [&](const sweep::SweepSeries& one) { return one.label == name.series; });
  if (!known && (!name.series.empty() || all.size() > 1)) {
    const std::string labels = text::joined(all, ", ", &sweep::SweepSeries::label);
    return text::fail("lesson_file.no_series", {{"series", name.series}, {"all", labels}});
  }
  if (!place) {
    if (name.at.empty()) return {};
    return text::fail("lesson_file.whole_series", {{"name", name.at.front().first}});
  }
  for (const sweep::SweepAxis& axis : plan.sweep.axes) {
    const std::string key = spec::field_name(axis.field);
    const auto given =
        std::ranges::find_if(name.at, [&](const auto& one) { return one.first == key; });
    if (given == name.at.end()) return text::fail("lesson_file.no_place", {{"name", key}});
    const auto value = text::parse_count(given->second);
    if (!value || std::to_string(*value) != given->second ||
        std::ranges::find(axis.values, *value) == axis.values.end()) {
      return text::fail("lesson_file.no_point", {{"name", key}, {"value", given->second}});
    }
  }
  if (name.at.size() > plan.sweep.axes.size()) return text::fail("lesson_file.too_many_places");
  return {};
}

}  // namespace

std::optional<StepPlan> read_plan(ObjectReader& reader, const spec::GpuCatalogue& gpus) {
  StepPlan plan;
  const std::string name = reader.text("kind");
  if (!reader.good()) return std::nullopt;
  const auto kind = step_kind_from(name);
  if (!kind) {
    reader.wrong(text::message("lesson_file.no_kind", {{"kind", name}}));
    return std::nullopt;
  }
  plan.kind = *kind;
  allow_keys(reader, plan.kind);
  if (!reader.good()) return std::nullopt;
  if (has_no_workload(plan.kind)) {
    if (plan.kind == StepKind::calculate) read_calculation(reader, plan);
    if (plan.kind == StepKind::simulate || plan.kind == StepKind::load)
      read_experiment(reader, plan);
    if (plan.kind == StepKind::step) read_stepping(reader, gpus, plan);
    if (!reader.good()) return std::nullopt;
    return plan;
  }
  if (!read_base(reader, gpus, plan)) return std::nullopt;
  const auto settings = reader.texts("set");
  if (!apply(reader, "set", settings, plan.spec) || !possible(reader, plan.spec)) {
    return std::nullopt;
  }
  add_text(plan.command, "--set", settings);
  plan.text = reader.text_or("text", "");
  if (!plan.text.empty()) plan.command += std::string(" --set corpus=DIR/") + kTextName;
  read_steps(reader, plan);
  if (plan.kind == StepKind::sweep) read_sweep(reader, plan);
  if (plan.kind == StepKind::hunt) read_hunt(reader, plan);
  if (plan.kind == StepKind::ab) read_ab(reader, plan);
  if (plan.kind == StepKind::advise && plan.gpu.empty()) {
    reader.wrong(text::message("lesson_file.no_card"));
  }
  if (!plan.gpu.empty()) plan.command += " --gpu \"" + plan.gpu + "\"";
  const bool asks_machine = plan.kind == StepKind::predict || plan.kind == StepKind::hunt;
  if (plan.gpu.empty() && asks_machine) plan.command += " --cpu";
  if (!plan.gpu.empty() && plan.kind == StepKind::sweep) plan.command += " --predict";
  const bool only_prints =
      plan.kind == StepKind::hunt || plan.kind == StepKind::ab || plan.kind == StepKind::advise;
  if (!only_prints) plan.command += " --out DIR";
  if (!reader.good()) return std::nullopt;
  return plan;
}

bool gives(const StepPlan& plan, const QuantityRow& row, Column column) {
  if (row.kind != plan.kind) return false;
  switch (row.nature) {
    case Nature::stated:
      return true;
    case Nature::measured:
      return column == Column::measured && plan.gpu.empty();
    case Nature::theory:
      return column == Column::theory;
    case Nature::simulated:
      return column == Column::simulated;
    default:
      return column == Column::predicted;
  }
}

Unit unit_of(const QuantityRow& row, const std::string& argument, const StepPlan& plan) {
  if (row.takes == Takes::term) {
    const auto& terms = plan.calculation->calculator().terms;
    return unit_here(std::ranges::find(terms, argument, &calculate::Term::name)->unit).unit;
  }
  if (row.takes == Takes::figure) {
    const auto& figures = plan.stepping ? stepper::figures_of(*plan.stepping->stepper)
                                        : known_figures(*plan.experiment->simulation);
    const std::string name = point_name(argument).series;
    return unit_here(std::ranges::find(figures, name, &simulate::Figure::name)->unit).unit;
  }
  return row.unit;
}

base::Result<void> check_argument(const QuantityRow& row, const std::string& argument,
                                  const StepPlan& plan) {
  const bool optional = row.takes == Takes::series || row.takes == Takes::point;
  if (row.takes == Takes::nothing && !argument.empty()) {
    return text::fail("lesson_file.takes_nothing");
  }
  if (row.takes != Takes::nothing && argument.empty() && !optional) {
    return text::fail("lesson_file.takes_something");
  }
  switch (row.takes) {
    case Takes::point:
      return check_point(argument, plan, true);
    case Takes::series:
      return check_point(argument, plan, false);
    case Takes::setting: {
      const auto field = spec::field_from_name(argument);
      return field ? base::Result<void>() : tl::unexpected(field.error());
    }
    case Takes::index: {
      const auto number = text::parse_count(argument);
      return number && *number > 0 ? base::Result<void>() : text::fail("lesson_file.takes_index");
    }
    case Takes::term:
      return check_among(argument, plan.calculation->calculator().terms);
    case Takes::input:
      return check_among(argument, inputs_of(plan));
    case Takes::figure:
      if (plan.stepping) return check_among(argument, stepper::figures_of(*plan.stepping->stepper));
      return check_figure(argument, *plan.experiment);
    default:
      return {};
  }
}

}  // namespace ts::lessons
