#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/output/environment.h"
#include "core/base/result.h"
#include "core/sweep/point_profile.h"
#include "core/sweep/sweep.h"
#include "core/sweep/sweep_journal.h"
#include "core/sweep/sweep_results.h"

namespace ts::app {

// The files of a sweep's folder.
inline constexpr const char* kJournalName = "sweep.jsonl";
inline constexpr const char* kPointsFolder = "points";  // a profile of each, to be compared

// A journal, or a folder that has one: what the window shows on the page of sweeps.
bool is_sweep(const std::filesystem::path& path);
// The journal itself, of either.
std::filesystem::path journal_of(const std::filesystem::path& path);

// The name under which the files of a point (see run::profile_name) are in the folder of points,
// also where an earlier version wrote them. `ending`: ".json". The error says that the file there
// is of one of several points, and nobody knows of which.
base::Result<std::string> stored_point_name(const std::filesystem::path& folder,
                                            const sweep::Sweep& sweep, std::size_t point,
                                            const char* ending);

// Two points of such a folder, by their names there ("flash_T=512"). The error names those there
// are.
base::Result<sweep::ProfileComparison> compare_points(const std::filesystem::path& folder,
                                                      const std::string& first,
                                                      const std::string& second);

// Whether what was found under the name of a point is of that point, by the settings it was written
// with: the name that earlier versions gave to several points may be another point's own name now.
base::Result<void> check_of_point(const std::filesystem::path& file,
                                  const spec::WorkloadSpec& written,
                                  const spec::WorkloadSpec& of_point);

// Two points of a sweep, each found under its name and checked.
base::Result<sweep::ProfileComparison> compare_points(const std::filesystem::path& folder,
                                                      const sweep::Sweep& sweep, std::size_t first,
                                                      std::size_t second);

// What must not change between points of one sweep: program, engine, threads, processor, GPUs.
sweep::SweepIdentity sweep_identity(const Machine& machine, const run::EngineInfo& engine);

// What stands under figure and tables.
struct SweepNotes {
  std::string device;    // "AMD EPYC ..., 2 threads"
  std::string versions;  // "tensorscope 0.1.0, LibTorch 2.11.0"
};
SweepNotes notes_of(const Machine& machine, const run::EngineInfo& engine,
                    const sweep::Sweep& sweep);

// Writes sweep.json, sweep.csv, sweep.md and sweep.tex. The first that cannot be written ends it.
base::Result<void> write_sweep_files(const std::filesystem::path& folder, const sweep::Sweep& sweep,
                                     const nlohmann::json& environment, const SweepNotes& notes,
                                     sweep::FitRange fit = {});

}  // namespace ts::app
