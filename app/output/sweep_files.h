#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "app/output/environment.h"
#include "app/output/save_parts.h"
#include "core/base/result.h"
#include "core/base/result_files.h"
#include "core/sweep/point_profile.h"
#include "core/sweep/sweep.h"
#include "core/sweep/sweep_journal.h"
#include "core/sweep/sweep_results.h"

namespace ts::app {

// The files of a sweep's folder.
inline constexpr const char* kJournalName = base::kSweepJournal;
inline constexpr const char* kPointsFolder = "points";  // a profile of each point, for comparisons

// True for a journal, or a folder that has one: the window shows it on the sweep page.
bool is_sweep(const std::filesystem::path& path);
// The journal itself, for both forms.
std::filesystem::path journal_of(const std::filesystem::path& path);

// The name of a point's files (see run::profile_name) in the points folder, also where an earlier
// version wrote them. `ending`: ".json". The error: the file there belongs to one of several
// points, and it is unknown to which.
base::Result<std::string> stored_point_name(const std::filesystem::path& folder,
                                            const sweep::Sweep& sweep, std::size_t point,
                                            const char* ending);

// Compares two points of such a folder by their names there ("flash_T=512"). The error lists the
// existing names.
base::Result<sweep::ProfileComparison> compare_points(const std::filesystem::path& folder,
                                                      const std::string& first,
                                                      const std::string& second);

// Checks that the file found under a point's name was written with the settings of that point.
// Earlier versions gave one name to several points, and it may be another point's own name now.
base::Result<void> check_of_point(const std::filesystem::path& file,
                                  const spec::WorkloadSpec& written,
                                  const spec::WorkloadSpec& of_point);

// Compares two points of a sweep, each found by its name and checked.
base::Result<sweep::ProfileComparison> compare_points(const std::filesystem::path& folder,
                                                      const sweep::Sweep& sweep, std::size_t first,
                                                      std::size_t second);

// The properties that must not change in one sweep: program, engine, threads, processor, GPUs.
sweep::SweepIdentity sweep_identity(const Machine& machine, const run::EngineInfo& engine);

// The text under figure and tables.
struct SweepNotes {
  std::string device;    // "AMD EPYC ..., 2 threads"
  std::string versions;  // "tensorscope 0.1.0, LibTorch 2.11.0"
};
SweepNotes notes_of(const Machine& machine, const run::EngineInfo& engine,
                    const sweep::Sweep& sweep);

// Writes sweep.json, and with the tables sweep.csv, sweep.md, sweep.tex and those of the checks.
// Stops at the first that cannot be written.
base::Result<void> write_sweep_files(const std::filesystem::path& folder, const sweep::Sweep& sweep,
                                     const nlohmann::json& environment, const SweepNotes& notes,
                                     sweep::FitRange fit = {}, const SaveParts& parts = {});

}  // namespace ts::app
