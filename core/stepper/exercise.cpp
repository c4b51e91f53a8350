#include "core/stepper/exercise.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <variant>

#include "core/text/message.h"

namespace ts::stepper {
namespace {

using Json = nlohmann::json;
using Figures = std::vector<calculate::Figure>;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

calculate::Figure limit_figure(double bytes) {
  return {"shared_limit", bytes, calculate::Unit::bytes};
}

}  // namespace

base::Result<Exercise> exercise_of(std::string_view stepper,
                                   const std::vector<std::string>& settings) {
  TS_TRY(const auto found, stepper_from(stepper));
  Exercise exercise{.stepper = found, .chosen = {found->id, found->inputs}};
  for (const std::string& setting : settings) {
    if (const auto set = exercise.chosen.set(setting); !set) return tl::unexpected(set.error());
  }
  return exercise;
}

base::Result<void> choose_card(Exercise& exercise, const std::string& card,
                               std::optional<std::int64_t> limit) {
  if (exercise.stepper->id != std::string_view("tiles"))
    return text::fail("stepper_error.no_tiles");
  exercise.fit = fit_of(card, limit, tile_sizes(exercise.chosen));
  return {};
}

Figures figures_of(const Exercise& exercise, Walk& walk) {
  Figures figures = figures_of(walk);
  if (exercise.fit && exercise.fit->limit > 0)
    figures.push_back(limit_figure(static_cast<double>(exercise.fit->limit)));
  return figures;
}

const Figures& figures_of(const Stepper& stepper) {
  static const std::map<std::string_view, Figures> all = [] {
    std::map<std::string_view, Figures> known;
    for (const Stepper& one : steppers()) {
      Walk walk = one.begin({one.id, one.inputs});
      Figures& figures = known[one.id] = figures_of(walk);
      if (std::holds_alternative<TiledAttention>(walk)) figures.push_back(limit_figure(0));
    }
    return known;
  }();
  return all.at(stepper.id);
}

nlohmann::json to_json(const Exercise& exercise, Walk& walk) {
  const Stepper& of = *exercise.stepper;
  Json inputs = Json::object(), figures = Json::object(), units = Json::object();
  for (std::size_t i = 0; i < of.inputs.size(); ++i)
    inputs[of.inputs[i].name] = exercise.chosen.of(i);
  for (const calculate::Figure& figure : figures_of(exercise, walk)) {
    figures[figure.name] = number(figure.value);
    units[figure.name] = calculate::to_string(figure.unit);
  }
  Json columns = Json::array(), steps = Json::array();
  for (const Column& column : of.columns) columns.push_back(column.name);
  for (std::size_t step = 0; step < steps_of(walk); ++step) {
    Json row = Json::array();
    for (const double value : row_of(walk, step)) row.push_back(number(value));
    steps.push_back({{"numbers", std::move(row)}, {"said", said_at(walk, step).sentence}});
  }
  Json document{{"stepper", of.id},
                {"source", of.source},
                {"inputs", std::move(inputs)},
                {"figures", std::move(figures)},
                {"units", std::move(units)},
                {"columns", std::move(columns)},
                {"steps", std::move(steps)}};
  if (exercise.fit) {
    document["shared_memory"] = {{"fits", exercise.fit->fits},
                                 {"limit", exercise.fit->limit},
                                 {"sentence", exercise.fit->said.sentence}};
  }
  return document;
}

}  // namespace ts::stepper
