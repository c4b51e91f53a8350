#include "app/sweep_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/io/file.h"
#include "core/run/sweep_json.h"
#include "core/run/sweep_table.h"

namespace ts::app {
namespace {

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

constexpr const char* kProgram = "tensorscope " TENSORSCOPE_VERSION;

}  // namespace

std::filesystem::path journal_of(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_directory(path, ignored) ? path / kJournalName : path;
}

bool is_sweep(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto journal = journal_of(path);
  return journal.extension() == ".jsonl" && std::filesystem::exists(journal, ignored);
}

base::Result<run::ProfileComparison> compare_points(const std::filesystem::path& folder,
                                                    const std::string& first,
                                                    const std::string& second) {
  const auto a = read_profile(folder, first);
  if (!a) return tl::unexpected(a.error());
  const auto b = read_profile(folder, second);
  if (!b) return tl::unexpected(b.error());
  try {
    return run::compare_profiles(*a, *b);
  } catch (const nlohmann::json::exception& error) {
    return base::fail("The points cannot be compared: " + std::string(error.what()));
  }
}

run::SweepIdentity sweep_identity(const Machine& machine, const run::EngineInfo& engine) {
  auto gpus = nlohmann::json::array();
  for (const run::DeviceInfo& device : engine.devices) {
    if (device.kind == run::DeviceKind::cuda) gpus.push_back(device.name);
  }
  return {{"program", kProgram},
          {"libtorch", engine.torch_version},
          {"threads", engine.threads},
          {"processor", machine.cpu},
          {"gpus", std::move(gpus)}};
}

SweepNotes notes_of(const Machine& machine, const run::EngineInfo& engine,
                    const run::Sweep& sweep) {
  SweepNotes notes;
  const run::WorkloadSpec& spec = sweep.spec().base;
  notes.device = machine.cpu + ", " + std::to_string(engine.threads) +
                 (engine.threads == 1 ? " thread" : " threads");
  if (spec.device == run::DeviceKind::cuda) {
    for (const run::DeviceInfo& device : engine.devices) {
      if (device.kind == spec.device && device.index == spec.device_index) {
        notes.device = device.name;
      }
    }
  }
  notes.versions = std::string(kProgram) + ", LibTorch " + engine.torch_version;
  return notes;
}

base::Result<void> write_sweep_files(const std::filesystem::path& folder, const run::Sweep& sweep,
                                     const nlohmann::json& environment, const SweepNotes& notes,
                                     run::FitRange fit) {
  const std::string caption = run::sweep_caption(sweep, notes.device, notes.versions);
  struct File {
    const char* name;
    std::string content;
  };
  for (const File& file : {File{"sweep.json", run::to_json(sweep, environment, fit).dump(2) + "\n"},
                           File{"sweep.csv", io::to_csv(run::full_table(sweep))},
                           File{"sweep.md", run::sweep_markdown(sweep, caption, fit)},
                           File{"sweep.tex", run::sweep_latex(sweep, caption, fit)}}) {
    if (auto written = io::write_file(folder / file.name, file.content); !written) return written;
  }
  return {};
}

}  // namespace ts::app
