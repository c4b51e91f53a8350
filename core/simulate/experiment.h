#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/text_table.h"
#include "core/simulate/simulation.h"
#include "core/text/text.h"

namespace ts::simulate {

// A simulation with its numbers: once, or once for each number of one input.
struct Experiment {
  const Simulation* simulation = nullptr;
  calculate::Chosen chosen;
  std::string over = {};                   // the input that varies; empty: none does
  std::vector<std::int64_t> numbers = {};  // of that input, in the order in which they are run
};

// From "pipeline", {"micro_batches=4"} and "pipeline_stages=2,4,8"; `over` may be empty.
base::Result<Experiment> experiment_of(std::string_view simulation,
                                       const std::vector<std::string>& settings,
                                       std::string_view over);
// The same for one of `known`.
base::Result<Experiment> experiment_of(std::span<const Simulation> known, std::string_view id,
                                       const std::vector<std::string>& settings,
                                       std::string_view over);

struct Point {
  std::optional<std::int64_t> at;  // of the input that varies
  Outcome outcome;
};
std::size_t point_count(const Experiment& experiment);
// The numbers of a point: number `index` of the input that varies, or the only one.
calculate::Chosen chosen_at(const Experiment& experiment, std::size_t index);
Point run_point(const Experiment& experiment, std::size_t index);

// A row for each figure, a column for each point.
io::TextTable table_of(const Experiment& experiment, const std::vector<Point>& points,
                       const text::Texts& texts);

// {simulation, simulated (false: measured, by core/loader), inputs {NAME: number}, over (or null),
// units {FIGURE: unit}, points
//  [{at (text, empty without over), figures {NAME: value}}]}. Values are in the unit that
// calculate::to_string(Unit) names; one that is not finite is null.
nlohmann::json to_json(const Experiment& experiment, const std::vector<Point>& points);

// A row for each number of the input that varies, a column for each figure, in the units of the
// document that to_json() made.
io::TextTable curve_table(const nlohmann::json& document);

// The names and units of the figures, which are the same for all numbers. Thread-safe.
const std::vector<Figure>& figures_of(const Simulation& simulation);

}  // namespace ts::simulate
