#pragma once

#include <filesystem>

#include "app/pictures/graphics.h"
#include "core/base/result.h"
#include "core/run/run.h"

namespace ts::app {

// Draws the courses of a run, light and in English, into course.png and course.svg of the folder.
// The run must have courses. `graphics` must be current.
base::Result<void> save_course_figure(Graphics& graphics, const run::Run& run,
                                      const std::filesystem::path& folder);

}  // namespace ts::app
