#include "core/predict/hunt_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "core/text/numbers.h"

namespace ts::predict {
namespace {

const char* state_name(CellState state) {
  constexpr std::array kNames = {"unknown", "impossible", "inferred", "probed"};
  return kNames[static_cast<std::size_t>(state)];
}

double bytes_of(char unit) {
  if (unit == 'T') return 1024 * text::kBytesInGiB;
  return unit == 'G' ? text::kBytesInGiB : unit == 'M' ? text::kBytesInMiB : unit == 'K' ? 1024 : 1;
}

// Digits after the point: a value that is not zero is not shown as zero.
std::string size_text(std::int64_t bytes, char unit, bool whole) {
  const double value = static_cast<double>(bytes) / bytes_of(unit);
  if (value >= 100 || (whole && value >= 9.95)) return text::decimal(value, 0);
  if (value >= 0.05 || bytes == 0) return text::decimal(value, 1);
  return value >= 0.0005 ? text::decimal(value, value >= 0.005 ? 2 : 3) : "<0.001";
}

nlohmann::json place_json(const HuntMap& map, std::size_t index) {
  const std::size_t width = map.x_values().size();
  return {{spec::field_name(map.x().field), map.x_values()[index % width]},
          {spec::field_name(map.y().field), map.y_values()[index / width]}};
}

nlohmann::json cell_json(const HuntMap& map, std::size_t index) {
  const HuntCell& cell = map.cell(index);
  nlohmann::json json = {{"at", place_json(map, index)},
                         {"verdict", to_string(cell.fit)},
                         {"inferred", cell.state == CellState::inferred}};
  if (cell.state == CellState::probed) {
    json["needed"] = cell.at_least;
    json["reason"] = cell.reason.sentence;
  } else {
    json["needed_at_least"] = cell.at_least;
    json["needed_at_most"] = cell.at_most ? nlohmann::json(*cell.at_most) : nlohmann::json();
  }
  if (cell.predicted_peak) json["peak_allocated"] = *cell.predicted_peak;
  if (cell.run) {
    json["run"] = {{"fits", cell.run->fits},
                   {"peak_allocated", cell.run->peak},
                   {"as_predicted", !cell.contradicted()}};
  }
  return json;
}

}  // namespace

nlohmann::json to_json(const HuntMap& map) {
  const char* const x = spec::field_name(map.x().field);
  const char* const y = spec::field_name(map.y().field);
  auto cells = nlohmann::json::array();
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map.cell(i).answered()) cells.push_back(cell_json(map, i));
  }
  auto frontier = nlohmann::json::array();
  const auto edge = map.frontier();
  for (std::size_t j = 0; j < edge.size(); ++j) {
    frontier.push_back(
        {{y, map.y_values()[j]},
         {std::string("largest_") + x, edge[j] ? nlohmann::json(*edge[j]) : nlohmann::json()}});
  }
  auto probes = nlohmann::json::array();
  for (const std::size_t index : map.log()) {
    const HuntCell& cell = map.cell(index);
    probes.push_back({{"at", place_json(map, index)},
                      {"verdict", to_string(cell.fit)},
                      {"needed", cell.at_least},
                      {"reason", cell.reason.sentence}});
  }
  return {{"axes", {{x, map.x_values()}, {y, map.y_values()}}},
          {"across", x},
          {"down", y},
          {"cells", std::move(cells)},
          {"frontier", std::move(frontier)},
          {"probes", std::move(probes)}};
}

std::string grid_text(const HuntCell& cell, char unit, bool whole) {
  if (!cell.answered()) return text::kNoNumber;
  if (cell.state == CellState::probed) return size_text(cell.at_least, unit, whole);
  if (cell.fit == Fit::oom || !cell.at_most) return ">" + size_text(cell.at_least, unit, whole);
  const std::string most = size_text(*cell.at_most, unit, whole);
  return most.front() == '<' ? most : "<" + most;
}

char grid_unit(const HuntMap& map, std::int64_t memory) {
  std::int64_t largest = 0;
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (map.cell(i).answered()) {
      largest = std::max({largest, map.cell(i).at_least, map.cell(i).at_most.value_or(0)});
    }
  }
  if (largest == 0) return 'G';
  const char letter = text::bytes(std::min(largest, memory)).unit.front();
  return letter == 'T' ? 'G' : letter;
}

io::TextTable hunt_grid(const HuntMap& map) {
  io::TextTable table;
  table.columns.push_back(
      fmt::format("{} \\ {}", spec::field_name(map.y().field), spec::field_name(map.x().field)));
  for (const std::int64_t x : map.x_values()) table.columns.push_back(text::grouped(x));
  table.right.assign(table.columns.size(), true);
  for (std::size_t j = 0; j < map.y_values().size(); ++j) {
    std::vector<std::string> row = {text::grouped(map.y_values()[j])};
    for (std::size_t i = 0; i < map.x_values().size(); ++i) {
      const HuntCell& cell = map.cell(i, j);
      std::string words = grid_text(cell);
      if (cell.answered() && cell.fit == Fit::oom) words += " x";
      if (cell.answered() && cell.fit == Fit::fits_after_flush) words += " *";
      row.push_back(std::move(words));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

io::TextTable hunt_cells(const HuntMap& map) {
  io::TextTable table{.columns = {spec::field_name(map.x().field), spec::field_name(map.y().field),
                                  "state", "verdict", "needed_at_least", "needed_at_most",
                                  "predicted_peak", "run", "run_peak", "reason"},
                      .right = {true, true, false, false, true, true, true, false, true, false}};
  const std::size_t width = map.x_values().size();
  for (std::size_t i = 0; i < map.size(); ++i) {
    const HuntCell& cell = map.cell(i);
    const bool is_known = cell.answered();
    table.rows.push_back({std::to_string(map.x_values()[i % width]),
                          std::to_string(map.y_values()[i / width]), state_name(cell.state),
                          is_known ? to_string(cell.fit) : "",
                          is_known ? std::to_string(cell.at_least) : "",
                          is_known && cell.at_most ? std::to_string(*cell.at_most) : "",
                          cell.predicted_peak ? std::to_string(*cell.predicted_peak) : "",
                          !cell.run        ? ""
                          : cell.run->fits ? "ok"
                                           : "oom",
                          cell.run ? std::to_string(cell.run->peak) : "", cell.reason.sentence});
  }
  return table;
}

std::string hunt_markdown(const HuntMap& map, const std::string& caption) {
  io::TextTable log;
  log.columns = {"#", spec::field_name(map.x().field), spec::field_name(map.y().field), "verdict",
                 "reason"};
  log.right = {true, true, true};
  const std::size_t width = map.x_values().size();
  for (const std::size_t index : map.log()) {
    log.rows.push_back({std::to_string(log.rows.size() + 1),
                        text::grouped(map.x_values()[index % width]),
                        text::grouped(map.y_values()[index / width]),
                        to_string(map.cell(index).fit), map.cell(index).reason.sentence});
  }
  return fmt::format(
      "{}\n\nGiB needed; * tight, x out of memory, < and > from neighbouring cells.\n\n{}\n{}",
      caption, io::to_markdown(hunt_grid(map)), io::to_markdown(log));
}

}  // namespace ts::predict
