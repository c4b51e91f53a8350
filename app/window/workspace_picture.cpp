#include "app/window/workspace_picture.h"

#include <charconv>
#include <memory>

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

}  // namespace ts::app
