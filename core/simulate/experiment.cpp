#include "core/simulate/experiment.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/calculate/calculation_table.h"
#include "core/text/joined.h"
#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::simulate {

base::Result<Experiment> experiment_of(std::string_view simulation,
                                       const std::vector<std::string>& settings,
                                       std::string_view over) {
  return experiment_of(simulations(), simulation, settings, over);
}

base::Result<Experiment> experiment_of(std::span<const Simulation> known, std::string_view id,
                                       const std::vector<std::string>& settings,
                                       std::string_view over) {
  TS_TRY(const auto found, one_of(known, id));
  Experiment made{.simulation = found, .chosen = {found->id, found->inputs}};
  for (const std::string& setting : settings) {
    if (auto set = made.chosen.set(setting); !set) return tl::unexpected(set.error());
  }
  if (over.empty()) return made;
  const std::size_t sign = over.find('=');
  if (sign == std::string_view::npos)
    return text::fail("simulate_error.over", {{"text", std::string(over)}});
  made.over = over.substr(0, sign);
  calculate::Chosen varied = made.chosen;
  for (const std::string_view number : text::pieces(over.substr(sign + 1), ',')) {
    TS_TRY_DONE(varied.set(made.over, number));
    made.numbers.push_back(varied.number(made.over));
  }
  return made;
}

std::size_t point_count(const Experiment& experiment) {
  return std::max<std::size_t>(1, experiment.numbers.size());
}

calculate::Chosen chosen_at(const Experiment& experiment, std::size_t index) {
  calculate::Chosen chosen = experiment.chosen;
  if (experiment.numbers.empty()) return chosen;
  const auto inputs = chosen.inputs();
  const auto varied = std::ranges::find(inputs, experiment.over, &calculate::Input::name);
  // Every number was accepted by experiment_of().
  static_cast<void>(
      chosen.set(static_cast<std::size_t>(varied - inputs.begin()), experiment.numbers[index]));
  return chosen;
}

Point run_point(const Experiment& experiment, std::size_t index) {
  const bool varies = !experiment.numbers.empty();
  return {varies ? std::optional(experiment.numbers[index]) : std::nullopt,
          experiment.simulation->run(chosen_at(experiment, index))};
}

io::TextTable table_of(const Experiment& experiment, const std::vector<Point>& points,
                       const text::Texts& texts) {
  io::TextTable table{.columns = {texts("calculate.column.what"), texts("calculate.column.name")},
                      .right = {false, false}};
  for (const Point& point : points) {
    table.columns.push_back(point.at ? experiment.over + " = " + text::grouped(*point.at)
                                     : std::string(texts("calculate.column.value")));
    table.right.push_back(true);
  }
  const auto& first = points.front().outcome.figures;
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::vector<std::string> row = {texts("simulate.term." + std::string(first[i].name)),
                                    first[i].name};
    for (const Point& point : points) {
      const Figure& figure = point.outcome.figures[i];
      row.push_back(calculate::value_text(figure.value, figure.unit));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

nlohmann::json to_json(const Experiment& experiment, const std::vector<Point>& points) {
  using Json = nlohmann::json;
  Json inputs = Json::object();
  for (std::size_t i = 0; i < experiment.chosen.inputs().size(); ++i)
    inputs[experiment.chosen.inputs()[i].name] = experiment.chosen.of(i);
  Json units = Json::object();
  Json all = Json::array();
  for (const Point& point : points) {
    Json figures = Json::object();
    for (const Figure& figure : point.outcome.figures) {
      figures[figure.name] = std::isfinite(figure.value) ? Json(figure.value) : Json(nullptr);
      units[figure.name] = calculate::to_string(figure.unit);
    }
    all.push_back(
        {{"at", point.at ? std::to_string(*point.at) : ""}, {"figures", std::move(figures)}});
  }
  return {{"simulation", experiment.simulation->id},
          {"simulated", experiment.simulation->run != nullptr},
          {"inputs", std::move(inputs)},
          {"over", experiment.over.empty() ? Json(nullptr) : Json(experiment.over)},
          {"units", std::move(units)},
          {"points", std::move(all)}};
}

io::TextTable curve_table(const nlohmann::json& document) {
  io::TextTable table;
  table.columns = {document.at("over").get<std::string>()};
  for (const auto& [name, unit] : document.at("units").items()) {
    const auto words = unit.get<std::string>();
    std::string heading = name;
    if (!words.empty()) heading.append(" (").append(words).append(")");
    table.columns.push_back(std::move(heading));
  }
  for (const auto& point : document.at("points")) {
    std::vector<std::string> row = {point.at("at").get<std::string>()};
    for (const auto& [name, value] : point.at("figures").items())
      row.push_back(value.is_null() ? "" : value.dump());
    table.rows.push_back(std::move(row));
  }
  table.right.assign(table.columns.size(), true);
  return table;
}

const std::vector<Figure>& figures_of(const Simulation& simulation) {
  static const auto all = [] {
    std::vector<std::vector<Figure>> found;
    for (const Simulation& one : simulations())
      found.push_back(one.run(calculate::Chosen(one.id, one.inputs)).figures);
    return found;
  }();
  return all[static_cast<std::size_t>(&simulation - simulations().data())];
}

}  // namespace ts::simulate
