#pragma once

#include <filesystem>
#include <string>

#include "app/pictures/graphics.h"
#include "core/predict/hunt_progress.h"
#include "core/text/text.h"
#include "views/common/theme.h"

namespace ts::app {

struct HuntPicture {
  int width = 1600;
  int height = 900;
  views::ThemeKind theme = views::ThemeKind::light;
  text::Language language = text::Language::en;
  std::string other;  // the name of the second frontier
  std::string title;  // empty: that of the map's own settings
};

// Draws a map under its caption ("attention, B x T on RTX 4090 ...") with nothing around it.
base::Result<void> save_hunt_picture(Graphics& graphics, const predict::HuntMap& map,
                                     const predict::HuntMap* other,
                                     const predict::PredictionTarget& target,
                                     const HuntPicture& picture, const std::filesystem::path& path);

}  // namespace ts::app
