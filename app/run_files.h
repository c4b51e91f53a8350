#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "app/session.h"
#include "core/base/result.h"

namespace ts::app {

// run.json of the run on screen, which there must be.
nlohmann::json document_of(const Session& session);

// Everything of the run on screen but its pictures: run.json, the trace, the memory snapshot, the
// tables. The folder is made.
base::Result<void> write_run(const std::filesystem::path& folder, const Session& session,
                             const nlohmann::json& document);

}  // namespace ts::app
