#include "app/window_command.h"

#include <cstdio>
#include <cstdlib>

#include "app/engine_loader.h"
#include "app/report.h"
#include "app/restart.h"
#include "app/sweep_files.h"
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
  // Before the window, so that files of which nothing can be shown end the program as bad input.
  std::vector<std::unique_ptr<files::OpenedFile>> files;
  std::filesystem::path sweep;  // one page of sweeps: the last counts
  for (const std::filesystem::path& path : command.files) {
    if (is_sweep(path)) {
      const auto content = run::read_journal(journal_of(path));
      if (!content) return report(content.error().sentence, 2);
      sweep = std::filesystem::absolute(path);
      continue;
    }
    auto opened = files::open_file(std::filesystem::absolute(path));
    if (!opened) {
      std::fprintf(stderr, "tensorscope: %s\n", opened.error().sentence.c_str());
      return 2;
    }
    if (!(*opened)->file.fault.empty()) {
      std::fprintf(stderr, "tensorscope: %s\n", (*opened)->file.fault.c_str());
    }
    files.push_back(std::move(*opened));
  }
  const char* display = std::getenv("DISPLAY");
  if (display == nullptr || *display == '\0') {
    std::fputs("tensorscope: there is no display; tensorscope run and shot work without one\n",
               stderr);
    return 1;
  }
  auto window = Window::open({make_engine_loader(), make_dry_runner_loader(), preferences_folder(),
                              pictures_folder(), std::move(files), std::move(sweep),
                              [](const auto& paths) { return restart(kThisProgram, paths); }});
  if (!window) {
    std::fprintf(stderr, "tensorscope: %s\n", window.error().sentence.c_str());
    return 1;
  }
  return (*window)->run();
}

}  // namespace ts::app
