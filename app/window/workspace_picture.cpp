#include "app/window/workspace_picture.h"

#include <charconv>
#include <initializer_list>
#include <memory>

#include "app/pictures/curve_picture.h"
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
  // The projector has other bars, too.
  copy.page = options.page;
  copy.preferences.projector = options.projector;
  if (!options.demo) copy.demo.reset();
  std::unique_ptr<Workspace> workspace;
  const auto prepare = [&](const PictureFrame& frame) -> DrawFrame {
    workspace = std::make_unique<Workspace>(session, copy, frame.texts, frame.faces);
    return [&] { workspace->draw(false); };
  };
  return render_picture(graphics, copy.preferences.language, options.width, options.height,
                        theme_of(copy.preferences).bg, prepare, path);
}

namespace {

struct Picture {
  Page page;
  const char* name;
  int width, height;
};

base::Result<void> save_pictures(Graphics& graphics, Session& session, const WorkspaceState& state,
                                 std::initializer_list<Picture> pictures,
                                 const std::filesystem::path& folder) {
  for (const Picture& picture : pictures) {
    auto saved =
        save_picture(graphics, session, state,
                     {.page = picture.page, .width = picture.width, .height = picture.height},
                     folder / picture.name);
    if (!saved) return saved;
  }
  return {};
}

// A saved run has its predicted outline if that is known by then.
constexpr std::chrono::milliseconds kOutlineWithin{1000};

constexpr Picture kMemoryPicture{Page::memory, "memory.png", 1600, 640};

// The page that is shown.
Picture workspace_picture(const WorkspaceState& state) {
  return {state.page, "workspace.png", 1920, 1080};
}

}  // namespace

base::Result<void> save_run_pictures(Graphics& graphics, Session& session,
                                     const WorkspaceState& state,
                                     const std::filesystem::path& folder) {
  // The controls may have changed since the run: the pictures show its own settings.
  WorkspaceState of_run = state;
  if (session.run() != nullptr) {
    of_run.history.set(session.run()->spec);
    session.predictions().follow(session.run()->spec, session.engine());
    session.predictions().wait(std::chrono::steady_clock::now() + kOutlineWithin);
  }
  auto saved = save_pictures(
      graphics, session, of_run,
      {workspace_picture(of_run), {Page::timeline, "timeline.png", 1600, 520}, kMemoryPicture},
      folder);
  if (!saved) return saved;
  if (session.run() == nullptr || session.run()->facts.curves.empty()) return {};
  return save_curve_figure(graphics, *session.run(), folder);
}

base::Result<void> save_prediction_pictures(Graphics& graphics, Session& session,
                                            const WorkspaceState& state,
                                            const std::filesystem::path& folder) {
  return save_pictures(graphics, session, state, {workspace_picture(state), kMemoryPicture},
                       folder);
}

}  // namespace ts::app
