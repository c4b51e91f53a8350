#pragma once

#include <filesystem>

#include "app/window/workspace_picture.h"

namespace ts::app {

// Saves the run, the prediction or the comparison of the session into a new folder of `parent`,
// "run-20260131-235959": the files of `tensorscope run --out` and `predict --out`, and pictures as
// the window looks. That folder. Main thread, with the context of `graphics` current.
base::Result<std::filesystem::path> save_in_folder(Requests::Save what, Graphics& graphics,
                                                   Session& session, const WorkspaceState& state,
                                                   const std::filesystem::path& parent);

}  // namespace ts::app
