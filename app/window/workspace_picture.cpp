#include "app/window/workspace_picture.h"

#include <charconv>
#include <memory>

#include "app/pictures/course_picture.h"
#include "app/pictures/picture.h"

namespace ts::app {

base::Result<PictureOptions> picture_size(const std::string& text) {
  PictureOptions options;
  const char* const end = text.data() + text.size();
  const auto possible = [](int side) { return side >= 64 && side <= kMaxPictureSide; };
  const auto width = std::from_chars(text.data(), end, options.width);
  if (width.ec == std::errc() && width.ptr != end && *width.ptr == 'x') {
    const auto height = std::from_chars(width.ptr + 1, end, options.height);
    if (height.ec == std::errc() && height.ptr == end && possible(options.width) &&
        possible(options.height)) {
      return options;
    }
  }
  return base::fail("--size takes WIDTHxHEIGHT with sides of 64 to " +
                    std::to_string(kMaxPictureSide) + " pixels, not \"" + text + "\"");
}

base::Result<void> save_picture(Graphics& graphics, Session& session, const WorkspaceState& state,
                                const PictureOptions& options, const std::filesystem::path& path) {
  WorkspaceState copy = state;
  std::unique_ptr<Workspace> workspace;
  const auto prepare = [&](const PictureFrame& frame) -> DrawFrame {
    workspace = std::make_unique<Workspace>(session, copy, frame.texts, frame.faces);
    return [&] { workspace->draw(options.layout, false); };
  };
  return render_picture(graphics, copy.preferences.language, options.width, options.height,
                        theme_of(options.layout, copy.preferences).bg, prepare, path);
}

base::Result<void> save_run_pictures(Session& session, const std::filesystem::path& folder) {
  if (session.run() != nullptr) {
    session.predictions().follow(session.run()->spec, session.engine());
    session.predictions().finish(kPredictionTime);
  }
  auto graphics = Graphics::open(Graphics::Kind::off_screen, 64, 64);
  if (!graphics) return base::fail(graphics.error().sentence);
  Preferences preferences = default_preferences();
  if (session.run() != nullptr) preferences.spec = session.run()->spec;
  const WorkspaceState state(preferences);
  struct Picture {
    Layout layout;
    const char* name;
    int width, height;
  };
  for (const Picture& picture : {Picture{Layout::panels, "workspace.png", 1920, 1080},
                                 Picture{Layout::timeline, "timeline.png", 1600, 520},
                                 Picture{Layout::memory, "memory.png", 1600, 640}}) {
    auto saved =
        save_picture(**graphics, session, state, {picture.layout, picture.width, picture.height},
                     folder / picture.name);
    if (!saved) return saved;
  }
  if (session.run() == nullptr || session.run()->facts.courses.empty()) return {};
  return save_course_figure(**graphics, *session.run(), folder);
}

}  // namespace ts::app
