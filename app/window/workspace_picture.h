#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "app/pictures/graphics.h"
#include "app/window/workspace.h"
#include "core/base/result.h"

namespace ts::app {

// What to render and how large: independent of the window and of its Dear ImGui context.
struct PictureOptions {
  Layout layout = Layout::panels;
  int width = 1920;
  int height = 1080;
};
inline constexpr int kMaxPictureSide = 16384;
// How long a command waits for the prediction of the settings of its pictures.
inline constexpr std::chrono::seconds kPredictionTime{10};
// "1920x1080", with a sentence for everything else.
base::Result<PictureOptions> picture_size(const std::string& text);

// Renders the session as `state` has it (theme, scale, language, selection) and writes a PNG. The
// state's own Dear ImGui context is left as it was. `graphics` must be current. Rendering runs
// until the layout has settled, so a picture of the same session is the same every time.
base::Result<void> save_picture(Graphics& graphics, Session& session, const WorkspaceState& state,
                                const PictureOptions& options, const std::filesystem::path& path);

// workspace.png, timeline.png and memory.png of a finished run, and the figure of its courses, as
// `state` has it.
base::Result<void> save_run_pictures(Graphics& graphics, Session& session,
                                     const WorkspaceState& state,
                                     const std::filesystem::path& folder);
// workspace.png and memory.png of what is predicted for the settings of `state`.
base::Result<void> save_prediction_pictures(Graphics& graphics, Session& session,
                                            const WorkspaceState& state,
                                            const std::filesystem::path& folder);

}  // namespace ts::app
