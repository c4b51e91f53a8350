#pragma once

#include <filesystem>

#include "app/pictures/graphics.h"
#include "core/lessons/findings.h"
#include "core/text/text.h"

namespace ts::app {

// Draws the values that a lesson compares as bars, light, into figure-numbers.png and
// figure-numbers.svg of the folder; nothing if there are none. A drawn guess is figure-curve.png
// and .svg, beside what is known. `graphics` must be current.
base::Result<void> save_lesson_figure(Graphics& graphics, const lessons::Lesson& lesson,
                                      lessons::Tier tier, const lessons::Findings& findings,
                                      const std::optional<lessons::Guess>& guess,
                                      text::Language language, const std::filesystem::path& folder);

}  // namespace ts::app
