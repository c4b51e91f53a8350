#pragma once

#include <filesystem>

#include "app/pictures/graphics.h"
#include "core/base/result.h"
#include "core/run/run.h"

namespace ts::app {

// Draws the curves of a run, light and in English, into curves.png and curves.svg of the folder.
// The run must have curves. `graphics` must be current.
base::Result<void> save_curve_figure(Graphics& graphics, const run::Run& run,
                                     const std::filesystem::path& folder);

}  // namespace ts::app
