#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/lessons/lesson_session.h"
#include "app/pages/page.h"
#include "app/session/hunt_session.h"
#include "app/session/preferences.h"
#include "app/session/session.h"
#include "app/session/sweep_session.h"
#include "core/files/notes.h"
#include "core/kernel_plan/stage_bench.h"
#include "views/common/view_state.h"
#include "views/compare/compare_controls.h"
#include "views/controls/spec_history.h"
#include "views/lessons/demo_view.h"
#include "views/sweep/sweep_controls.h"
#include "views/sweep/sweep_view.h"
#include "views/tables/operators_view.h"

namespace ts::app {

// The memory of a run or of a prediction that was kept to be compared with another.
struct KeptMemory {
  int number = 0;  // of all that were kept, from 1
  std::string name;
  std::shared_ptr<const void> owner;  // of the log
  const memory::AllocationLog* log = nullptr;
};
inline constexpr std::size_t kMostKeptMemory = 6;

// How a run or a device of a file was left. `whole`: from a session, with the colours, the axis and
// the search, which otherwise go along from one to the next.
struct KeptView {
  views::ViewState view;
  bool whole = false;
};
inline constexpr std::size_t kMostKeptViews = 64;

// A demo of a lecture on screen.
struct ShownDemo {
  std::size_t number = 0;  // in the list of the built-in ones
  views::DemoStage stage = views::DemoStage::question;
};

// The part of the user interface's state that a picture shares with the window.
struct WorkspaceState {
  explicit WorkspaceState(const Preferences& start)
      : preferences(start), history(start.spec), old_limit(start.spec.memory_limit) {}
  Preferences preferences;
  std::filesystem::path default_save_folder;  // used if the preferences name none
  std::filesystem::path program;              // tensorscope, for ranks
  views::SpecHistory history;
  // The memory limit of the last session, in bytes; a bar in the window reminds of it until the
  // user keeps or removes it. 0: none, or done.
  std::int64_t old_limit = 0;
  views::ViewState view;
  run::RunId viewed = 0;  // the run, or device of a file, that `view` belongs to
  // The views of earlier runs, to show each again as it was left.
  std::map<run::RunId, KeptView> kept_views;
  std::map<run::RunId, files::Notes> notes;  // by run, trace or device of a file
  void keep_view(run::RunId id, KeptView kept);
  std::optional<views::BlockColors> color_of_runs;  // block_colors to restore when a file is left
  views::SweepEdit sweep_edit;
  views::SweepPageState sweep_page;
  std::shared_ptr<SweepSession> sweeps = std::make_shared<SweepSession>();
  views::HuntEdit hunt_edit;
  std::shared_ptr<HuntSession> hunts = std::make_shared<HuntSession>();
  // Our attention as it was measured on this processor; null: never.
  std::shared_ptr<const kernel_plan::StageBench> stages;
  views::CompareEdit compare_edit;
  std::vector<KeptMemory> kept_memory;  // the oldest first
  // Keeps one more; the oldest makes room.
  void keep_memory(KeptMemory kept);
  std::shared_ptr<LessonSession> lessons = std::make_shared<LessonSession>();
  views::OperatorsTab operators_tab = views::OperatorsTab::op;
  Page page = Page::run;
  std::optional<ShownDemo> demo;
  // The folder for everything that is saved.
  [[nodiscard]] std::filesystem::path save_folder() const;
  // Valid from now on; empty: the default folder.
  void choose_save_folder(const std::filesystem::path& chosen);

  run::RunId own_run = 0;  // the newest that the Run page started; others are of lessons and so on
  views::RunFigures figures;  // of the newest successful one of these
  views::RunFigures earlier;  // of the last one with other settings, of the same workload
  // The last prediction, shown while nothing can be predicted for the current settings.
  std::shared_ptr<const predict::Forecast> last_forecast;
};

// Whether two specs differ at most in the target card and the allocator's settings.
bool same_work(const spec::WorkloadSpec& a, const spec::WorkloadSpec& b);

// The projector is light whatever the window looks like otherwise.
const views::Theme& theme_of(const Preferences& preferences);

}  // namespace ts::app
