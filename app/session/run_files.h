#pragma once

#include <filesystem>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "app/output/save_parts.h"
#include "app/session/session.h"
#include "core/base/result.h"
#include "core/files/notes.h"

namespace ts::app {

// run.json of the run on screen; there must be a run.
nlohmann::json document_of(const Session& session);

// The user's notes on that run, as they stand in run.json: where and what.
nlohmann::json notes_json(const run::Run& run, const base::StringTable& strings,
                          std::span<const files::Note> notes);

// All files that a run may write into a folder, with its pictures.
inline constexpr std::initializer_list<const char*> kRunFiles = {
    "spec.json",     "report.md",       "report.html",  "report.tex",  "run.json",
    "trace.json",    "snapshot.pickle", "curves.csv",   "checks.csv",  "checks.md",
    "operators.csv", "stacks.txt",      "operators.md", "kernels.csv", "workspace.png",
    "timeline.png",  "memory.png",      "curves.png",   "curves.svg"};

// Writes run.json and the chosen parts of the run on screen, but no pictures. Creates the folder.
base::Result<void> write_run(const std::filesystem::path& folder, const Session& session,
                             const nlohmann::json& document, const SaveParts& parts = {});

}  // namespace ts::app
