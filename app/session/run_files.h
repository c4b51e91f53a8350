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

// The files of a run, with its pictures; checks and a report may stand beside them.
inline constexpr std::initializer_list<const char*> kRunFiles = {
    "run.json",   "trace.json",   "snapshot.pickle", "curves.csv",    "operators.csv",
    "stacks.txt", "operators.md", "kernels.csv",     "workspace.png", "timeline.png",
    "memory.png", "curves.png",   "curves.svg"};

// Writes run.json and the chosen parts of the run on screen, but no pictures. Creates the folder.
base::Result<void> write_run(const std::filesystem::path& folder, const Session& session,
                             const nlohmann::json& document, const SaveParts& parts = {});

}  // namespace ts::app
