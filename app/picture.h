#pragma once

#include <filesystem>
#include <functional>

#include "app/graphics.h"
#include "app/workspace.h"
#include "core/base/result.h"

namespace ts::app {

// What to render and how large: independent of the window and of its Dear ImGui context.
struct PictureOptions {
  Layout layout = Layout::panels;
  int width = 1920;
  int height = 1080;
};
inline constexpr int kMaxPictureSide = 16384;
// "1920x1080", with a sentence for everything else.
base::Result<PictureOptions> picture_size(const std::string& text);

// Draws frames into a PNG until the layout has settled. `prepare` is called once with the faces and
// words of the picture, inside its own Dear ImGui context, and returns what draws one frame; the
// last frame is what is written. `graphics` must be current.
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

// Renders the session as `state` has it (theme, scale, language, selection) and writes a PNG. The
// state's own Dear ImGui context is left as it was. `graphics` must be current. Rendering runs
// until the layout has settled, so a picture of the same session is the same every time.
base::Result<void> save_picture(Graphics& graphics, Session& session, const WorkspaceState& state,
                                const PictureOptions& options, const std::filesystem::path& path);

}  // namespace ts::app
