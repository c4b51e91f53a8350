#pragma once

#include <cstddef>
#include <filesystem>

#include "app/pictures/graphics.h"
#include "core/base/result.h"
#include "core/stepper/exercise.h"
#include "core/text/text.h"
#include "views/common/theme.h"

namespace ts::app {

struct StepPicture {
  std::size_t step = 0;
  views::ThemeKind theme = views::ThemeKind::light;
  text::Language language = text::Language::en;
  int width = 1600, height = 960;  // pixels
};
// Draws a step into NAME.png and NAME.svg of the folder. `graphics` must be current.
base::Result<void> save_step_picture(Graphics& graphics, const stepper::Exercise& exercise,
                                     stepper::Walk& walk, const StepPicture& look,
                                     const std::filesystem::path& folder, const std::string& name);

}  // namespace ts::app
