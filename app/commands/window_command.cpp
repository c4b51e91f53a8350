#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/output/sweep_files.h"
#include "app/own_file/own_file.h"
#include "app/session/engine_loader.h"
#include "app/session/file_list.h"
#include "app/window/restart.h"
#include "app/window/window.h"
#include "core/base/environment.h"
#include "core/files/saved_session.h"
#include "core/io/file.h"
#include "core/spec/model_config.h"
#include "core/spec/own_model.h"

namespace ts::app {
namespace {

struct WindowCommand {
  std::vector<std::filesystem::path> files;
};

struct Shown {
  std::vector<std::unique_ptr<files::OpenedFile>> files;
  std::vector<std::filesystem::path> paths;  // that the window opens itself
};

// Reads one file before the window opens. The error says why there is nothing to show.
base::Result<void> read_file(const std::filesystem::path& path, Shown& shown) {
  TS_TRY(const auto whole, io::absolute_path(path));
  if (is_sweep(path)) {
    TS_TRY_DONE(sweep::read_journal(journal_of(path)));
    shown.paths.push_back(whole);
    return {};
  }
  if (listed(whole).kind == FileKind::session) {
    TS_TRY_DONE(files::read_session(whole));
    shown.paths.push_back(whole);
    return {};
  }
  if (own_file_of(whole.string())) {
    shown.paths.push_back(whole);
    return {};
  }
  if (listed(whole).kind == FileKind::model || spec::is_model_config(whole)) {
    spec::WorkloadSpec tried;
    TS_TRY_DONE(spec::choose_model(whole.string(), tried));
    shown.paths.push_back(whole);
    return {};
  }
  // The window shows its beginning while it reads the rest.
  if (files::is_large(whole)) {
    shown.paths.push_back(whole);
    return {};
  }
  TS_TRY(auto opened, files::open_file(whole));
  if (!opened->fault().empty()) report(opened->fault(), 0);
  shown.files.push_back(std::move(opened));
  return {};
}

Exit open_window(const WindowCommand& command) {
  Shown shown;
  std::vector<std::filesystem::path> unreadable;
  for (const std::filesystem::path& path : command.files) {
    if (const auto read = read_file(path, shown); !read) {
      report(read.error(), 2);
      unreadable.push_back(path);
    }
  }
  if (!unreadable.empty() && unreadable.size() == command.files.size()) return 2;
  shown.paths.insert(shown.paths.end(), unreadable.begin(), unreadable.end());
  TS_TRY(const auto settings, preferences_folder());
  if (base::environment_variable("DISPLAY").empty()) {
    return report("there is no display; tensorscope run and shot work without one", 1);
  }
  TS_TRY(const auto window, or_failed(Window::open({.loader = make_engine_loader(),
                                                    .dry_runner = make_dry_runner_loader(),
                                                    .preferences_folder = settings,
                                                    .save_folder = default_save_folder(),
                                                    .files = std::move(shown.files),
                                                    .paths = std::move(shown.paths),
                                                    .restart = [](const auto& paths) {
                                                      return restart(kThisProgram, paths);
                                                    }})));
  return window->run();
}

}  // namespace

ParsedCommand window_command(CLI::App& app) {
  const auto options = std::make_shared<WindowCommand>();
  app.add_option("FILE", options->files, "Files to open in the window")->option_text(" ");
  return parsed_command(options, open_window);
}

}  // namespace ts::app
