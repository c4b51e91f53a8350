#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/session/languages.h"
#include "core/checks/simulation_checks.h"
#include "core/report/checks.h"
#include "core/simulate/experiment.h"
#include "core/text/numbers.h"
#include "core/trace_file/trace_write.h"
#include "views/common/spec_text.h"

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

// The results of the course's checks, point by point.
using Checks = std::vector<std::vector<report::CheckResult>>;

std::string json_of(const simulate::Experiment& experiment,
                    const std::vector<simulate::Point>& points, const Checks& checks) {
  Json document = to_json(experiment, points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    document["points"][i]["checks"] = report::to_json(checks[i]);
  }
  return io::json_text(document);
}

// "C-9 failed: ..." of each point, in the chosen language.
std::string check_lines(const simulate::Experiment& experiment,
                        const std::vector<simulate::Point>& points, const Checks& checks,
                        const text::Texts& texts) {
  std::string lines;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (const report::CheckResult& one : checks[i]) {
      if (points[i].at) lines += experiment.over + " = " + text::grouped(*points[i].at) + ": ";
      lines += std::string(one.id) + " " + report::to_string(one.state) + ": " +
               views::message_text(texts, one.found) + "\n";
    }
  }
  return lines.empty() ? lines : lines + "\n";
}

std::string text_of(const simulate::Experiment& experiment,
                    const std::vector<simulate::Point>& points, const Checks& checks,
                    const SimulateCommand& command, const text::Texts& texts) {
  if (command.format == "json") return json_of(experiment, points, checks);
  const io::TextTable table = table_of(experiment, points, texts);
  const std::string title = texts("simulate.title." + command.simulation);
  return io::table_document(table, command.format, title, command.simulation,
                            "\n" + check_lines(experiment, points, checks, texts) +
                                texts("simulate.about." + command.simulation) + "\n");
}

Exit run_simulation(const SimulateCommand& command) {
  TS_TRY(const auto texts, built_in_texts(command.language));
  if (command.simulation.empty()) {
    return print_or_write(
        list_of(simulate::simulations(), "simulate.title.", "simulate.about.", texts), command.out);
  }
  TS_TRY(const auto experiment,
         simulate::experiment_of(command.simulation, command.settings, command.over));
  std::vector<simulate::Point> points;
  Checks checks;
  for (std::size_t i = 0; i < point_count(experiment); ++i) {
    points.push_back(run_point(experiment, i));
    checks.push_back(checks::of_simulation(*experiment.simulation, chosen_at(experiment, i),
                                           points.back().outcome));
  }
  if (!command.trace.empty()) {
    TS_TRY_DONE(or_failed(trace_file::write_trace(
        command.trace, simulate::trace_of(points.front().outcome), simulate::kTraceMetadata)));
  }
  return print_or_write(text_of(experiment, points, checks, command, texts), command.out);
}

}  // namespace

ParsedCommand simulate_command(CLI::App& app) {
  const auto options = std::make_shared<SimulateCommand>();
  add_listed(app, "SIMULATION", options->simulation, options->settings);
  app.add_option("--over", options->over, "A column for each number: ranks=8,64,512")
      ->type_name("NAME=LIST");
  app.add_option("--trace", options->trace,
                 "Write the timeline of the first one as a trace, which the window opens")
      ->type_name("FILE");
  add_format(app, options->format);
  add_language(app, options->language);
  add_out_file(app, options->out);
  return parsed_command(options, run_simulation);
}

}  // namespace ts::app
