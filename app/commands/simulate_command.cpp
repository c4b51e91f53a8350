#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/session/languages.h"
#include "core/calculate/calculation_table.h"
#include "core/checks/simulation_checks.h"
#include "core/io/file.h"
#include "core/simulate/simulation.h"
#include "core/trace_file/trace_write.h"
#include "views/common/spec_words.h"

namespace ts::app {
namespace {

struct SimulateCommand {
  std::string simulation;             // empty: list them
  std::vector<std::string> settings;  // "ranks=8"
  std::string over;                   // "ranks=8,64,512"
  std::string format = "md";
  std::string language = "en";
  std::filesystem::path out;
  std::filesystem::path trace;
};

using Json = nlohmann::json;

// One run of the simulation, and the value of the input that varies.
struct Point {
  std::string at;
  simulate::Outcome outcome;
  std::vector<report::CheckResult> checks = {};
};

Point point_of(const simulate::Simulation& simulation, const calculate::Chosen& chosen,
               std::string at) {
  Point point{std::move(at), simulation.run(chosen)};
  point.checks = checks::of_simulation(simulation, chosen, point.outcome);
  return point;
}

std::string list_of_simulations(const text::Texts& texts) {
  std::string list;
  for (const simulate::Simulation& simulation : simulate::simulations()) {
    const std::string id = simulation.id;
    list += id + "  " + texts("simulate.title." + id) + "\n   ";
    for (const calculate::Input& input : simulation.inputs)
      list += " " + std::string(input.name) + "=" + std::to_string(input.start);
    list += "\n    " + std::string(texts("simulate.about." + id)) + "\n";
  }
  return list;
}

base::Result<std::vector<Point>> run_points(const simulate::Simulation& simulation,
                                            const SimulateCommand& command) {
  calculate::Chosen chosen(simulation.id, simulation.inputs);
  for (const std::string& setting : command.settings) {
    const auto set = chosen.set(setting);
    if (!set) return tl::unexpected(set.error());
  }
  std::vector<Point> points;
  if (command.over.empty()) {
    points.push_back(point_of(simulation, chosen, ""));
    return points;
  }
  const std::size_t sign = command.over.find('=');
  if (sign == std::string::npos) return base::fail("--over is NAME=NUMBER,NUMBER,...");
  const std::string name = command.over.substr(0, sign);
  std::string_view left = std::string_view(command.over).substr(sign + 1);
  while (true) {
    const std::size_t comma = left.find(',');
    const std::string number(left.substr(0, comma));
    const auto set = chosen.set(name, number);
    if (!set) return tl::unexpected(set.error());
    points.push_back(point_of(simulation, chosen, number));
    if (comma == std::string_view::npos) return points;
    left.remove_prefix(comma + 1);
  }
}

// A row for each figure, a column for each point.
io::TextTable table_of(const std::vector<Point>& points, const SimulateCommand& command,
                       const text::Texts& texts) {
  io::TextTable table;
  table.columns = {texts("calculate.column.what"), texts("calculate.column.name")};
  table.right = {false, false};
  const std::string varied = command.over.substr(0, command.over.find('='));
  for (const Point& point : points) {
    table.columns.push_back(point.at.empty() ? texts("calculate.column.value")
                                             : varied + " = " + point.at);
    table.right.push_back(true);
  }
  const auto& first = points.front().outcome.figures;
  for (std::size_t i = 0; i < first.size(); ++i) {
    std::vector<std::string> row = {texts("simulate.term." + std::string(first[i].name)),
                                    first[i].name};
    for (const Point& point : points) {
      const simulate::Figure& figure = point.outcome.figures[i];
      row.push_back(calculate::value_words(figure.value, figure.unit));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string json_of(const std::string& id, const std::vector<Point>& points) {
  Json all = Json::array();
  for (const Point& point : points) {
    Json figures = Json::object();
    for (const simulate::Figure& figure : point.outcome.figures)
      figures[figure.name] = std::isfinite(figure.value) ? Json(figure.value) : Json(nullptr);
    Json checks = Json::array();
    for (const report::CheckResult& one : point.checks) {
      checks.push_back({{"check", one.id},
                        {"state", report::to_string(one.state)},
                        {"found", one.found.sentence}});
    }
    all.push_back(
        {{"at", point.at}, {"figures", std::move(figures)}, {"checks", std::move(checks)}});
  }
  return io::json_text(Json{{"simulation", id}, {"simulated", true}, {"points", std::move(all)}});
}

// "C-9 failed: ..." of each point, in the chosen language.
std::string check_lines(const std::vector<Point>& points, const std::string& varied,
                        const text::Texts& texts) {
  std::string lines;
  for (const Point& point : points) {
    for (const report::CheckResult& one : point.checks) {
      if (!point.at.empty()) lines += varied + " = " + point.at + ": ";
      lines += std::string(one.id) + " " + report::to_string(one.state) + ": " +
               views::message_words(texts, one.found) + "\n";
    }
  }
  return lines.empty() ? lines : lines + "\n";
}

std::string words_of(const std::vector<Point>& points, const SimulateCommand& command,
                     const text::Texts& texts) {
  if (command.format == "json") return json_of(command.simulation, points);
  const io::TextTable table = table_of(points, command, texts);
  const std::string title = texts("simulate.title." + command.simulation);
  if (command.format == "csv") return io::to_csv(table);
  if (command.format == "tex") return io::to_latex(table, title, command.simulation);
  const std::string varied = command.over.substr(0, command.over.find('='));
  return title + "\n\n" + io::to_markdown(table) + "\n" + check_lines(points, varied, texts) +
         texts("simulate.about." + command.simulation) + "\n";
}

int write_to(const std::filesystem::path& path, const std::string& words) {
  if (path.empty()) {
    std::fputs(words.c_str(), stdout);
    return 0;
  }
  const auto written = io::write_file(path, words);
  return written ? 0 : report(written.error(), 1);
}

int run_simulation(const SimulateCommand& command) {
  const auto language = text::language_from_code(command.language);
  if (!language) return report(language.error(), 2);
  text::Texts texts = built_in_texts();
  texts.choose(*language);
  if (command.simulation.empty()) return write_to(command.out, list_of_simulations(texts));
  const auto simulation = simulate::simulation_from(command.simulation);
  if (!simulation) return report(simulation.error(), 2);
  const auto points = run_points(**simulation, command);
  if (!points) return report(points.error(), 2);
  if (!command.trace.empty()) {
    const auto written = trace_file::write_trace(
        command.trace, simulate::trace_of(points->front().outcome), R"({"simulated":true})");
    if (!written) return report(written.error(), 1);
  }
  return write_to(command.out, words_of(*points, command, texts));
}

}  // namespace

ParsedCommand simulate_command(CLI::App& app) {
  const auto options = std::make_shared<SimulateCommand>();
  app.add_option("SIMULATION", options->simulation, "Which one; without it all are listed")
      ->option_text(" ");
  app.add_option("NAME=NUMBER", options->settings, "Numbers that differ from the listed ones")
      ->option_text("...");
  app.add_option("--over", options->over, "A column for each number: ranks=8,64,512")
      ->type_name("NAME=LIST");
  app.add_option("--trace", options->trace,
                 "Write the timeline of the first one as a trace, which the window opens")
      ->type_name("FILE");
  app.add_option("--format", options->format, "md, csv, tex or json")
      ->check(CLI::IsMember({"md", "csv", "tex", "json"}));
  app.add_option("--lang", options->language, "en, zh-CN or zh-TW");
  app.add_option("--out", options->out, "Write to this file, instead of standard output")
      ->type_name("FILE");
  return parsed_command(options, run_simulation);
}

}  // namespace ts::app
