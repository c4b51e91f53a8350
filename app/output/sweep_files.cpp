#include "app/output/sweep_files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/output/check_files.h"
#include "app/output/named_files.h"
#include "core/base/result_files.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/sweep/sweep_checks.h"
#include "core/sweep/sweep_findings.h"
#include "core/sweep/sweep_json.h"
#include "core/sweep/sweep_table.h"
#include "core/text/joined.h"
#include "core/text/message.h"

namespace ts::app {
namespace {

// The names of the existing points.
std::vector<std::string> points_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

base::Result<nlohmann::json> read_profile(const std::filesystem::path& folder,
                                          const std::string& name) {
  const auto names = points_in(folder);
  if (names.empty()) {
    return text::fail("point_error.no_points", {{"path", folder.string()}});
  }
  if (std::ranges::find(names, name) == names.end()) {
    return text::fail("point_error.missing", {{"name", name}, {"all", text::joined(names, ", ")}});
  }
  return io::read_json(folder / (name + ".json"));
}

constexpr const char* kProgram = "tensorscope " TENSORSCOPE_VERSION;

base::Result<nlohmann::json> profile_of_point(const std::filesystem::path& folder,
                                              const sweep::Sweep& sweep, std::size_t point) {
  constexpr const char* kEnding = ".json";
  TS_TRY(const auto name, stored_point_name(folder, sweep, point, kEnding));
  auto profile = read_profile(folder, name);
  if (!profile || !profile->is_object() || !profile->contains("spec")) return profile;
  const auto written = spec::spec_from_json(profile->at("spec"));
  if (!written)
    return text::fail("point_error.spec",
                      {{"file", name + kEnding}, text::argument("reason", written.error())});
  TS_TRY_DONE(check_of_point(folder / (name + kEnding), *written, sweep.points()[point].spec));
  return profile;
}

base::Result<sweep::ProfileComparison> compared(const base::Result<nlohmann::json>& a,
                                                const base::Result<nlohmann::json>& b) {
  if (!a) return tl::unexpected(a.error());
  if (!b) return tl::unexpected(b.error());
  try {
    return sweep::compare_profiles(*a, *b);
  } catch (const nlohmann::json::exception& error) {
    return text::fail("point_error.not_comparable", {{"reason", error.what()}});
  }
}

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

base::Result<std::string> stored_point_name(const std::filesystem::path& folder,
                                            const sweep::Sweep& sweep, std::size_t point,
                                            const char* ending) {
  std::string name = sweep::profile_name(sweep, point);
  std::string older = sweep::older_profile_name(sweep, point);
  std::error_code ignored;
  if (std::filesystem::exists(folder / (name + ending), ignored) ||
      !std::filesystem::exists(folder / (older + ending), ignored)) {
    return name;
  }
  for (std::size_t other = 0; other < sweep.points().size(); ++other) {
    if (other == point) continue;
    // The file may also belong to another point.
    if (sweep::older_profile_name(sweep, other) == older ||
        sweep::profile_name(sweep, other) == older) {
      return text::fail("point_error.shared", {{"file", older + ending}});
    }
  }
  return older;
}

base::Result<void> check_of_point(const std::filesystem::path& file,
                                  const spec::WorkloadSpec& written,
                                  const spec::WorkloadSpec& of_point) {
  if (written == of_point) return {};
  return text::fail("point_error.other_settings", {{"path", file.string()}});
}

base::Result<sweep::ProfileComparison> compare_points(const std::filesystem::path& folder,
                                                      const std::string& first,
                                                      const std::string& second) {
  return compared(read_profile(folder, first), read_profile(folder, second));
}

base::Result<sweep::ProfileComparison> compare_points(const std::filesystem::path& folder,
                                                      const sweep::Sweep& sweep, std::size_t first,
                                                      std::size_t second) {
  return compared(profile_of_point(folder, sweep, first), profile_of_point(folder, sweep, second));
}

sweep::SweepIdentity sweep_identity(const Machine& machine, const run::EngineInfo& engine) {
  auto gpus = nlohmann::json::array();
  for (const run::DeviceInfo& device : engine.devices) {
    // An engine also lists devices that it cannot use.
    const bool there = device.unavailable.empty();
    if (device.kind == spec::DeviceKind::cuda && there) gpus.push_back(device.name);
  }
  return {{"program", kProgram},
          {"libtorch", engine.torch_version},
          {"threads", engine.threads},
          {"processor", machine.cpu},
          {"gpus", std::move(gpus)}};
}

SweepNotes notes_of(const Machine& machine, const run::EngineInfo& engine,
                    const sweep::Sweep& sweep) {
  SweepNotes notes;
  const spec::WorkloadSpec& spec = sweep.spec().base;
  notes.device = machine.cpu + ", " + std::to_string(engine.threads) +
                 (engine.threads == 1 ? " thread" : " threads");
  if (spec.device == spec::DeviceKind::cuda) {
    for (const run::DeviceInfo& device : engine.devices) {
      if (device.kind == spec.device && device.index == spec.device_index) {
        notes.device = device.name;
      }
    }
  }
  notes.versions = std::string(kProgram) + ", LibTorch " + engine.torch_version;
  return notes;
}

base::Result<void> write_sweep_files(const std::filesystem::path& folder, const sweep::Sweep& sweep,
                                     const nlohmann::json& environment, const SweepNotes& notes,
                                     sweep::FitRange fit, const SaveParts& parts) {
  const std::vector<report::CheckResult> checks = sweep::checks_of(sweep);
  nlohmann::json document = to_json(sweep, environment, fit);
  document["checks"] = report::to_json(checks);
  if (auto written = io::write_file(folder / base::kSweepDocument, io::json_text(document));
      !written || !parts.has(SavePart::tables)) {
    return written;
  }
  const std::string caption = sweep::sweep_caption(sweep, notes.device, notes.versions);
  auto written =
      write_files(folder, {{base::kSweepCsv, io::to_csv(sweep::full_table(sweep))},
                           {base::kSweepMarkdown, sweep::sweep_markdown(sweep, caption, fit)},
                           {base::kSweepLatex, sweep::sweep_latex(sweep, caption, fit)}});
  return written ? write_checks(folder, checks) : written;
}

}  // namespace ts::app
