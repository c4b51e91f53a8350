#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "app/pictures/graphics.h"
#include "app/window/workspace.h"
#include "core/base/result.h"

namespace ts::app {

// The content and size of a picture: independent of the window and of its Dear ImGui context.
struct PictureOptions {
  Page page = Page::run;
  bool projector = false;
  bool demo = false;  // the demo on screen, too: its question, or its strip
  int width = 1920;
  int height = 1080;
};
inline constexpr int kMaxPictureSide = 16384;
// The time that a command waits for the prediction for its pictures.
inline constexpr std::chrono::seconds kPredictionTime{10};
// Parses "1920x1080"; the error for everything else is a sentence.
base::Result<PictureOptions> picture_size(const std::string& text);

// Renders the session as in `state` (theme, scale, language, selection) and writes a PNG. The
// state's own Dear ImGui context is not changed. `graphics` must be current. Rendering runs until
// the layout has settled, so pictures of the same session are always equal.
base::Result<void> save_picture(Graphics& graphics, Session& session, const WorkspaceState& state,
                                const PictureOptions& options, const std::filesystem::path& path);

// Writes workspace.png, timeline.png and memory.png of a finished run, and the figure of its
// curves, as in `state`.
base::Result<void> save_run_pictures(Graphics& graphics, Session& session,
                                     const WorkspaceState& state,
                                     const std::filesystem::path& folder);
// Writes workspace.png and memory.png of the prediction for the settings of `state`.
base::Result<void> save_prediction_pictures(Graphics& graphics, Session& session,
                                            const WorkspaceState& state,
                                            const std::filesystem::path& folder);

}  // namespace ts::app
