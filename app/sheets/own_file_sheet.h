#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/own_file/own_session.h"
#include "app/pages/workspace_state.h"
#include "app/session/session.h"
#include "views/charts/memory_overlay.h"
#include "views/common/ui.h"
#include "views/controls/controls_view.h"

namespace ts::app {

// The sheet of a Python file of the user's own: what would be run and a button that allows it; then
// its arguments, the prediction for the target card, a run on the CPU. Main thread; the file runs
// in processes that a thread of OwnSession waits for.
class OwnFileSheet {
 public:
  // Runs nothing.
  void open(const std::filesystem::path& path);
  // Returns a recording, a snapshot or a .pt2 that was written and is to be opened.
  std::optional<std::filesystem::path> draw(const views::Ui& ui, Session& session,
                                            const WorkspaceState& state,
                                            const views::ControlsContext& controls);
  void cancel();
  // It is not shown any more. What waits for questions is ended, but not if the sheet gave way to
  // what it wrote, from which one comes back.
  void leave();
  [[nodiscard]] bool busy() const { return session_ != nullptr && session_->busy(); }

 private:
  [[nodiscard]] OwnQuestion question() const;
  OwnSession& ensure_session();
  void choose_python(const std::filesystem::path& python);
  void draw_python(const views::Ui& ui, const OwnSession::State& known);
  void draw_consent(const views::Ui& ui, const OwnSession::State& known);
  void draw_arguments(const views::Ui& ui, const OwnDescription& described, float width);
  void draw_argument(const views::Ui& ui, const OwnArgument& argument, float width);
  void draw_number(const views::Ui& ui, const OwnArgument& argument, float width);
  static void draw_lines(const views::Ui& ui, const std::vector<OwnLine>& lines);
  void draw_memory(const views::Ui& ui,
                   const std::shared_ptr<const OwnSession::Forecast>& forecast);
  void draw_forecast(const views::Ui& ui, const OwnSession::State& known);
  void draw_buttons(const views::Ui& ui, const OwnSession::State& known,
                    const WorkspaceState& state);
  std::optional<std::filesystem::path> written();
  void ask_for(const predict::PredictionTarget& target);
  [[nodiscard]] std::string value_of(const OwnArgument& argument) const;
  void set(const OwnArgument& argument, const std::string& value);
  [[nodiscard]] bool is_current(const OwnSession::Forecast& forecast) const;

  OwnFile file_;
  std::filesystem::path python_;
  std::string function_;      // as it is typed
  std::string python_words_;  // the same
  bool asked_ = false;        // a question about this file or its Python
  bool allowed_ = false;
  bool left_ = true;
  bool gave_way_ = false;                        // the last draw() returned a file
  std::map<std::string, std::string> settings_;  // those that differ from the defaults
  // The arguments of the last prediction.
  std::map<std::string, std::string> asked_settings_;
  std::string asked_target_;
  std::unique_ptr<OwnSession> session_;
  // The prediction for the arguments as the file has them: what others are compared with.
  std::shared_ptr<const OwnSession::Forecast> usual_;
  views::OverlayCurves curves_;
};

}  // namespace ts::app
