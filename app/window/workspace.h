#pragma once

#include <filesystem>
#include <vector>

#include "app/pages/notices.h"
#include "app/pages/page_frame.h"
#include "app/pages/pages.h"
#include "app/pages/presenter.h"
#include "app/pages/requests.h"
#include "app/pages/run_starter.h"
#include "app/pages/view_contexts.h"
#include "app/pages/workspace_state.h"
#include "app/saved/session_keeper.h"
#include "app/sheets/window_sheets.h"
#include "app/window/model_opener.h"
#include "app/window/palette.h"
#include "app/window/status_bar.h"
#include "app/window/top_bar.h"
#include "app/window/window_actions.h"

namespace ts::app {

// Puts the bars, the pages and the sheets together, inside one frame of the current Dear ImGui
// context. Input becomes changes of the session and of the state. Every context has its own,
// because the views cache what they drew. Main thread.
class Workspace {
 public:
  Workspace(Session& session, WorkspaceState& state, const text::Texts& texts,
            const views::Fonts::Faces& faces);
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // One frame of a window, which takes keys and starts runs, or of a picture.
  Requests draw(bool interactive);

  // Begins to read files and shows the last of them: lessons, sweeps, snapshots and traces. A model
  // becomes the workload.
  void open_files(const std::vector<std::filesystem::path>& paths);

  // Begins to save what was done in the window as a file of its own.
  void save_session(const std::filesystem::path& folder) { sessions_.save(folder); }

  [[nodiscard]] Notices& notices() { return notices_; }
  // The presenter has stopped the picture for now.
  [[nodiscard]] bool holds() const { return presenter_.hold; }
  // Before the preferences are kept.
  void leave_demo() { presenter_.leave(); }
  // Frames are needed even without input: a run is in progress, a sentence will disappear.
  [[nodiscard]] bool animated() const;
  [[nodiscard]] const views::StepperView& steppers() const { return sheets_.steppers(); }
  [[nodiscard]] const views::OwnKernelsView& kernels() const { return sheets_.kernels(); }

 private:
  [[nodiscard]] PageServices services();
  void draw_page(const views::Ui& ui, bool interactive, Requests& requests);
  void draw_demo_strip(const views::Ui& ui);
  void draw_demo_question(const views::Ui& ui);
  void take(const views::DemoRequests& asked);
  [[nodiscard]] views::DemoShown demo_shown() const;
  void draw_sheets(const views::Ui& ui, Requests& requests);
  void open_file(const std::filesystem::path& path);
  void compare_with(const std::vector<std::filesystem::path>& paths);
  void take_model();
  void choose_model(const std::filesystem::path& path);

  Session* session_;
  WorkspaceState* state_;
  const text::Texts* texts_;
  const views::Fonts::Faces* faces_;
  Notices notices_;
  ModelOpener models_;
  ViewContexts contexts_;
  RunStarter runs_;
  PageFrame frame_;
  Pages pages_;
  SessionKeeper sessions_;
  Presenter presenter_;
  WindowSheets sheets_;
  Palette palette_;
  WindowActions actions_;
  TopBar top_bar_;
  StatusBar status_bar_;
  Page drawn_page_ = Page::run;  // of the last frame
};

}  // namespace ts::app
