#pragma once

#include <filesystem>
#include <functional>

#include "app/pictures/graphics.h"
#include "core/base/result.h"
#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/fonts.h"
#include "views/common/theme.h"

namespace ts::app {

// Draws frames until the layout has settled and writes the last one as PNG. `prepare` is called
// once with the fonts and texts of the picture, inside its own Dear ImGui context, and returns the
// function that draws one frame. `graphics` must be current.
struct PictureFrame {
  const views::Fonts::Faces& faces;
  const text::Texts& texts;
  views::Rect area;
};
using DrawFrame = std::function<void()>;
base::Result<void> render_picture(Graphics& graphics, text::Language language, int width,
                                  int height, views::Color background,
                                  const std::function<DrawFrame(const PictureFrame&)>& prepare,
                                  const std::filesystem::path& path);

}  // namespace ts::app
