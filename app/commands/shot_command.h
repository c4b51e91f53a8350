#pragma once

#include <filesystem>

#include "app/commands/command_line.h"
#include "app/session/session.h"
#include "core/base/result.h"

namespace ts::app {

// tensorscope shot: runs the workload, or opens the file, then renders it to a PNG; needs no
// display. Returns the exit code: 0 ok, 1 it could not be rendered, 2 bad input. A run out of
// memory is a picture too.
int take_shot(const ShotCommand& command);

// workspace.png, timeline.png and memory.png of a finished run, for run --out.
base::Result<void> save_run_pictures(Session& session, const std::filesystem::path& folder);

}  // namespace ts::app
