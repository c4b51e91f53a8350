#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/output/sweep_files.h"
#include "core/sweep/point_profile.h"

namespace ts::app {
namespace {

struct CompareCommand {
  std::filesystem::path sweep;  // a folder of tensorscope sweep
  std::string first, second;    // points, named as the files in its points folder
  bool json = false;
};

constexpr std::size_t kMostComparedRows = 12;

// Prints the differences between two points of a sweep: operators, modules and memory. Returns 2
// when there is no such sweep or point.
Exit print_differences(const CompareCommand& command) {
  TS_TRY(const auto comparison,
         compare_points(command.sweep / kPointsFolder, command.first, command.second));
  if (command.json) {
    print_json(to_json(comparison));
  } else {
    std::printf("%s", sweep::comparison_markdown(comparison, command.first, command.second,
                                                 kMostComparedRows)
                          .c_str());
  }
  return 0;
}

}  // namespace

ParsedCommand compare_command(CLI::App& app) {
  const auto options = std::make_shared<CompareCommand>();
  app.add_option("DIR", options->sweep, "Folder of the sweep")->option_text(" ")->required();
  app.add_option("A", options->first, "A point, such as naive_T=512")->option_text(" ")->required();
  app.add_option("B", options->second, "Another")->option_text(" ")->required();
  add_json(app, options->json);
  return parsed_command(options, print_differences);
}

}  // namespace ts::app
