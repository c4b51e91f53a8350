#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <vector>

#include "app/pages/workspace_state.h"
#include "app/session/session.h"
#include "core/text/text.h"
#include "views/common/fonts.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"
#include "views/controls/controls_view.h"

namespace ts::app {

// Makes what the views of a frame get: the run or file on screen, its prediction, and whether both
// belong to the current settings. Main thread.
class ViewContexts {
 public:
  ViewContexts(Session& session, WorkspaceState& state, const text::Texts& texts,
               const views::Fonts::Faces& faces)
      : session_(&session), state_(&state), texts_(&texts), faces_(&faces) {}

  // `picture`: the frame is part of a picture, not of the window.
  void begin_frame(bool picture) {
    frame_begin_ = std::chrono::steady_clock::now();
    picture_ = picture;
  }
  [[nodiscard]] views::ViewContext view(const views::Ui& ui);
  [[nodiscard]] views::ControlsContext controls(const views::Ui& ui);

  // Asks for the prediction of the current settings. wait_for_prediction() gives it until a fixed
  // time after the frame began; draw between the two whatever shows no prediction.
  void ask_for_prediction();
  void wait_for_prediction();
  // There is a forecast of exactly the current settings.
  [[nodiscard]] bool predicted() const;

 private:
  [[nodiscard]] views::ViewContext view_of_file(const views::Ui& ui,
                                                const OpenedFiles::Entry& entry);
  void follow_newest_step(const files::LiveFile& live);
  void list_others(const OpenedFiles::Entry& shown, const files::OpenedDevice* device);
  void list_other_traces(const OpenedFiles::Entry& shown);
  void reset_view_state(const run::Run& run);
  void reset_view_state_of_run(const run::Run& run);
  void reset_view_state_of_file(const run::Run& run, const files::OpenedDevice* device);
  void choose_memory(views::ViewContext& view);
  void note_figures(const run::Run& run);

  Session* session_;
  WorkspaceState* state_;
  const text::Texts* texts_;
  const views::Fonts::Faces* faces_;
  std::chrono::steady_clock::time_point frame_begin_;
  bool picture_ = false;
  std::vector<views::OtherRecording> others_;  // of the last context of a file
  // The newest step of a live file when it was last shown.
  std::map<run::RunId, base::TimeRange> followed_;
  std::shared_ptr<const predict::Forecast> run_forecast_;  // of the run on screen
};

}  // namespace ts::app
