#include "app/commands/compare_command.h"

#include <cstdio>

#include "app/commands/report.h"
#include "app/output/sweep_files.h"
#include "core/sweep/point_profile.h"

namespace ts::app {
namespace {

constexpr std::size_t kMostComparedRows = 12;

}  // namespace

int compare_points(const CompareCommand& command) {
  const auto comparison =
      compare_points(command.sweep / kPointsFolder, command.first, command.second);
  if (!comparison) return report(comparison.error().sentence, 2);
  if (command.json) {
    std::printf("%s\n", to_json(*comparison).dump(2).c_str());
  } else {
    std::printf("%s", sweep::comparison_markdown(*comparison, command.first, command.second,
                                                 kMostComparedRows)
                          .c_str());
  }
  return 0;
}

}  // namespace ts::app
