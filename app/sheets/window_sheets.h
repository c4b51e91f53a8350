#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/pages/requests.h"
#include "app/pages/workspace_state.h"
#include "app/session/advice_session.h"
#include "app/sheets/cluster_sheet.h"
#include "app/sheets/file_dialog.h"
#include "app/sheets/loader_sheet.h"
#include "app/sheets/open_sheet.h"
#include "app/sheets/own_file_sheet.h"
#include "app/sheets/ranks_sheet.h"
#include "app/sheets/simulation_sheet.h"
#include "app/sheets/stage_session.h"
#include "app/sheets/tree_sheet.h"
#include "views/advice/advice_view.h"
#include "views/calculate/calculator_view.h"
#include "views/calculate/own_kernels_view.h"
#include "views/calculate/stepper_view.h"
#include "views/common/ui.h"

namespace ts::app {

// The purpose of opening a file: to show it, or to compare it with the one on screen.
enum class OpenFor : std::uint8_t { show, compare };

// The sheets that belong to no page: the glossary, the calculators, the simulations, the loader,
// the ranks, the steppers, our kernels, the advisor, the search for a cluster, the decision trees,
// a Python file, the shortcuts, the folder where things are saved, and the one to open a file. Main
// thread.
class WindowSheets {
 public:
  // A line of the shortcuts: its keys and the key of the text that explains it.
  struct Shortcut {
    std::string keys;
    const char* what;
  };

  // `of_actions` is called while the shortcuts are shown: those of the window, which stand below
  // those of the panels.
  void draw(const views::Ui& ui, Session& session, WorkspaceState& state,
            const views::ControlsContext& controls, Requests& requests,
            const std::function<std::vector<Shortcut>()>& of_actions);
  // The content of the sheet of our kernels, also for a picture.
  void draw_kernels(const views::Ui& ui, const Session& session, WorkspaceState& state,
                    const views::ControlsContext& controls);
  // The sheet to open a file, and the dialog of the desktop. Returns the files that were chosen.
  std::vector<std::filesystem::path> draw_open(const views::Ui& ui, Preferences& preferences);
  void open_file(OpenFor what) {
    ask_for_file_ = true;
    open_for_ = what;
  }
  // Returns this file from the next draw_open(), to be shown.
  void choose_file(const std::filesystem::path& path) {
    chosen_.push_back(path);
    open_for_ = OpenFor::show;
  }
  [[nodiscard]] OpenFor open_for() const { return open_for_; }
  [[nodiscard]] const views::StepperView& steppers() const { return steppers_; }
  [[nodiscard]] views::OwnKernelsView& kernels() { return kernels_; }
  [[nodiscard]] const views::OwnKernelsView& kernels() const { return kernels_; }
  // Something moves on by itself, or more of what is shown will arrive.
  [[nodiscard]] bool animated() const {
    return steppers_.playing() || (show_trees && trees_.busy()) ||
           (show_simulations && simulations_.busy()) || (show_cluster && cluster_.busy()) ||
           (show_loader && loader_.busy()) || (show_ranks && ranks_.busy()) ||
           (show_kernels && stages_.busy()) || own_file_.busy();
  }
  // Shows what of a Python file would be run; runs nothing.
  void open_own_file(const std::filesystem::path& path) {
    own_file_.open(path);
    show_own_file = true;
  }
  // Space belongs to a sheet.
  [[nodiscard]] bool has_space() const { return steppers_.has_keys(); }
  // Closes the uppermost sheet. False: none was open.
  bool close();

  bool show_glossary = false;
  bool show_calculators = false;
  bool show_simulations = false;
  bool show_steppers = false;
  bool show_advisor = false;
  bool show_cluster = false;
  bool show_loader = false;
  bool show_ranks = false;
  bool show_trees = false;
  bool show_kernels = false;
  bool show_own_file = false;
  bool show_shortcuts = false;
  bool show_save_folder = false;

 private:
  void draw_glossary(const views::Ui& ui);
  void draw_advisor(const views::Ui& ui, Session& session, WorkspaceState& state,
                    Requests& requests);
  void draw_save_folder(const views::Ui& ui, WorkspaceState& state);
  void draw_shortcuts(const views::Ui& ui, const std::vector<Shortcut>& of_actions);

  bool ask_for_file_ = false;  // the sheet to open a file appears in the next frame
  OpenFor open_for_ = OpenFor::show;
  std::vector<std::filesystem::path> chosen_;  // without the sheet
  OpenSheet open_sheet_;
  FileDialog file_dialog_;
  std::string save_folder_;  // as it is typed
  std::string glossary_filter_;
  void draw_steppers(const views::Ui& ui, const Preferences& preferences,
                     const views::ControlsContext& controls, Requests& requests);
  views::CalculatorView calculators_;
  views::StepperView steppers_;
  views::OwnKernelsView kernels_;
  std::optional<std::vector<report::KernelResources>> compiled_;  // read when first shown
  StageSession stages_;
  AdviceSession advice_;
  views::AdviceView advisor_;
  ClusterSheet cluster_;
  LoaderSheet loader_;
  RanksSheet ranks_;
  TreeSheet trees_;
  OwnFileSheet own_file_;
  SimulationSheet simulations_;
};

}  // namespace ts::app
