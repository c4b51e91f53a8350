#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/session/languages.h"
#include "core/calculate/calculation_json.h"
#include "core/calculate/calculation_table.h"
#include "core/calculate/calculator.h"

namespace ts::app {
namespace {

struct CalculateCommand {
  std::string calculator;             // empty: list them
  std::vector<std::string> settings;  // "ranks=8"
  std::string format = "md";
  std::string language = "en";
  std::filesystem::path out;
};

base::Result<calculate::Values> values_of(const CalculateCommand& command) {
  TS_TRY(const auto calculator, calculate::calculator_from(command.calculator));
  calculate::Values values(*calculator);
  for (const std::string& setting : command.settings) {
    TS_TRY_DONE(values.set(setting));
  }
  return values;
}

Exit run_calculation(const CalculateCommand& command) {
  TS_TRY(const auto texts, built_in_texts(command.language));
  std::string words;
  if (command.calculator.empty()) {
    if (!command.out.empty()) return base::fail("--out needs a calculator");
    words = list_of(calculate::calculators(), "calculate.title.", "", texts);
  } else {
    TS_TRY(const auto values, values_of(command));
    const io::TextTable table = calculate::calculation_table(values, texts);
    const std::string title = texts("calculate.title." + command.calculator);
    const std::string source = texts("calculate.source", {{"source", values.calculator().source}});
    words = command.format == "json" ? io::json_text(to_json(values))
                                     : io::table_document(table, command.format, title,
                                                          command.calculator, "\n" + source + "\n");
  }
  return print_or_write(words, command.out);
}

}  // namespace

ParsedCommand calculate_command(CLI::App& app) {
  const auto options = std::make_shared<CalculateCommand>();
  add_listed(app, "CALCULATOR", options->calculator, options->settings);
  add_format(app, options->format);
  add_language(app, options->language);
  add_out_file(app, options->out);
  return parsed_command(options, run_calculation);
}

}  // namespace ts::app
