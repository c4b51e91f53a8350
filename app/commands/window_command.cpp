#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/commands/restart.h"
#include "app/output/sweep_files.h"
#include "app/session/engine_loader.h"
#include "app/session/file_list.h"
#include "app/window/window.h"
#include "core/io/file.h"
#include "core/spec/model_config.h"
#include "core/spec/own_model.h"

namespace ts::app {
namespace {

struct WindowCommand {
  std::vector<std::filesystem::path> files;
};

int open_window(const WindowCommand& command) {
  // Read before the window opens, so that files with nothing to show end the program as bad input.
  std::vector<std::unique_ptr<files::OpenedFile>> files;
  std::filesystem::path sweep, model;  // one sweep page, one workload: the last one wins
  for (const std::filesystem::path& path : command.files) {
    const auto whole = io::absolute_path(path);
    if (!whole) return report(whole.error().sentence, 2);
    if (is_sweep(path)) {
      const auto content = sweep::read_journal(journal_of(path));
      if (!content) return report(content.error().sentence, 2);
      sweep = *whole;
      continue;
    }
    if (listed(*whole).kind == FileKind::model || spec::is_model_config(*whole)) {
      spec::WorkloadSpec tried;
      if (const auto chosen = spec::choose_model(whole->string(), tried); !chosen) {
        return report(chosen.error().sentence, 2);
      }
      model = *whole;
      continue;
    }
    auto opened = files::open_file(*whole);
    if (!opened) return report(opened.error().sentence, 2);
    if (!(*opened)->fault().empty()) report((*opened)->fault().sentence, 0);
    files.push_back(std::move(*opened));
  }
  const auto settings = preferences_folder();
  if (!settings) return report(settings.error().sentence, 2);
  const char* display = std::getenv("DISPLAY");
  if (display == nullptr || *display == '\0') {
    return report("there is no display; tensorscope run and shot work without one", 1);
  }
  auto window =
      Window::open({.loader = make_engine_loader(),
                    .dry_runner = make_dry_runner_loader(),
                    .preferences_folder = *settings,
                    .save_folder = default_save_folder(),
                    .files = std::move(files),
                    .sweep = std::move(sweep),
                    .model = std::move(model),
                    .restart = [](const auto& paths) { return restart(kThisProgram, paths); }});
  if (!window) return report(window.error().sentence, 1);
  return (*window)->run();
}

}  // namespace

ParsedCommand window_command(CLI::App& app) {
  const auto options = std::make_shared<WindowCommand>();
  app.add_option("FILE", options->files, "Files to open in the window")->option_text(" ");
  return parsed_command(options, open_window);
}

}  // namespace ts::app
