#include "app/compare_command.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "app/report.h"
#include "app/sweep_files.h"
#include "core/io/file.h"
#include "core/run/point_profile.h"

namespace ts::app {
namespace {

constexpr std::size_t kMostRows = 12;

// The names of the points there are.
std::vector<std::string> points_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

base::Result<nlohmann::json> read_profile(const std::filesystem::path& folder,
                                          const std::string& name) {
  const auto names = points_in(folder);
  if (names.empty()) {
    return base::fail(folder.string() + " has no points: is it in the folder of a sweep?");
  }
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    std::string all;
    for (const std::string& one : names) all += (all.empty() ? "" : ", ") + one;
    return base::fail("There is no point \"" + name + "\"; there are " + all);
  }
  const auto path = folder / (name + ".json");
  const auto text = io::read_file(path);
  if (!text) return tl::unexpected(text.error());
  auto json = nlohmann::json::parse(*text, nullptr, false);
  if (json.is_discarded()) return base::fail(path.string() + " is not valid JSON");
  return json;
}

}  // namespace

int compare_points(const CompareCommand& command) {
  const auto folder = command.sweep / kPointsFolder;
  const auto a = read_profile(folder, command.first);
  if (!a) return report(a.error().sentence, 2);
  const auto b = read_profile(folder, command.second);
  if (!b) return report(b.error().sentence, 2);
  run::ProfileComparison comparison;
  try {
    comparison = run::compare_profiles(*a, *b);
  } catch (const nlohmann::json::exception& error) {
    return report("The points cannot be compared: " + std::string(error.what()), 2);
  }
  if (command.json) {
    std::printf("%s\n", run::to_json(comparison).dump(2).c_str());
  } else {
    std::printf(
        "%s",
        run::comparison_markdown(comparison, command.first, command.second, kMostRows).c_str());
  }
  return 0;
}

}  // namespace ts::app
