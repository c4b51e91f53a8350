#include "app/window_command.h"

#include <cstdio>
#include <cstdlib>

#include "app/engine_loader.h"
#include "app/window.h"

namespace ts::app {
namespace {

std::filesystem::path pictures_folder() {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return ".";
  const std::filesystem::path pictures = std::filesystem::path(home) / "Pictures";
  std::error_code ignored;
  return std::filesystem::is_directory(pictures, ignored) ? pictures : std::filesystem::path(home);
}

}  // namespace

int open_window(const WindowCommand& command) {
  if (!command.files.empty()) {
    std::fprintf(stderr, "tensorscope: opening %s is not possible yet: only workloads can be run\n",
                 command.files.front().string().c_str());
    return 2;
  }
  const char* display = std::getenv("DISPLAY");
  if (display == nullptr || *display == '\0') {
    std::fputs("tensorscope: there is no display; tensorscope run and shot work without one\n",
               stderr);
    return 1;
  }
  auto window = Window::open(
      {make_engine_loader(), make_dry_runner_loader(), preferences_folder(), pictures_folder()});
  if (!window) {
    std::fprintf(stderr, "tensorscope: %s\n", window.error().sentence.c_str());
    return 1;
  }
  return (*window)->run();
}

}  // namespace ts::app
