#pragma once

#include <filesystem>
#include <vector>

#include "app/pictures/graphics.h"
#include "core/advice/ladder.h"
#include "core/base/result.h"
#include "core/text/text.h"

namespace ts::app {

// Draws the ladder, light, into ladder.png and ladder.svg of the folder. `graphics` must be
// current.
base::Result<void> save_ladder_figure(Graphics& graphics, const std::vector<advice::Rung>& rungs,
                                      const predict::PredictionTarget& target,
                                      text::Language language, const std::filesystem::path& folder);

}  // namespace ts::app
