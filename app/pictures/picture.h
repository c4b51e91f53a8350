#pragma once

#include <filesystem>
#include <functional>
#include <string>

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

// A figure of a light or dark page, `width` x `height` pixels.
struct FigurePage {
  text::Language language = text::Language::en;
  int width = 0;
  int height = 0;
  views::Color background;
  float scale = 1;   // of fonts and lines
  float margin = 0;  // pixels left free on every side
};
// A light page at twice the scale with an edge around the figure, which is so wide at scale 1 and
// so many pixels high.
inline constexpr float kLightScale = 2;
FigurePage light_page(text::Language language, float width, float height);
// Draws the figure into the area that it may use. Called with each sink.
using DrawFigure =
    std::function<void(views::DrawSink& sink, const views::Rect& area, const text::Texts& texts)>;
// Writes a figure as FOLDER/NAME.png and FOLDER/NAME.svg, drawn by the same calls.
base::Result<void> save_figure(Graphics& graphics, const FigurePage& page, const DrawFigure& draw,
                               const std::filesystem::path& folder, const std::string& name);

}  // namespace ts::app
