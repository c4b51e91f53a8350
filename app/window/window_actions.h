#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/pages/pages.h"
#include "app/pages/presenter.h"
#include "app/session/file_list.h"
#include "app/sheets/window_sheets.h"
#include "app/window/actions.h"
#include "app/window/palette.h"

namespace ts::app {

// Performs the actions of the window, decides when they are possible, and reads their keys. Main
// thread.
class WindowActions {
 public:
  WindowActions(const PageServices& services, Pages& pages, Presenter& presenter,
                WindowSheets& sheets, Palette& palette)
      : services_(services),
        pages_(&pages),
        presenter_(&presenter),
        sheets_(&sheets),
        palette_(&palette) {}

  // The sentence why an action is not possible now; empty: it is.
  [[nodiscard]] std::string why_not(Action action) const;
  // Whether what an action switches is on.
  [[nodiscard]] bool is_on(Action action) const;
  void perform(Action action, Requests& requests);
  // The keys as they are shown; Space in the chosen language.
  [[nodiscard]] std::string keys_of(const ActionRow& row) const;

  // The same for the built-in demos, which are data: Alt+1 to Alt+9, then Alt+0.
  [[nodiscard]] Presenter& presenter() const { return *presenter_; }
  [[nodiscard]] static std::string keys_of_demo(std::size_t demo);

  // The files opened last, and opens one of them at the end of the frame.
  [[nodiscard]] const std::vector<ListedFile>& recent_files();
  void open_recent(const std::filesystem::path& path);

  // Shows one of the runs that were kept, on the page of runs.
  void show_run(const std::shared_ptr<run::Run>& run);

  // Performs the actions whose keys were pressed in this frame. A key whose action is not possible
  // says why. A text field that is being edited
  // and an open list have most keys to themselves.
  void take_keys(Requests& requests);
  // At the end of the frame: keeps Space for the page. Enter presses the focused widget. Tab behind
  // the last widget of a panel goes on to the next panel, Shift+Tab back.
  void keep_keys();

 private:
  [[nodiscard]] bool* switch_of(Action action) const;
  [[nodiscard]] bool shows_file() const;
  [[nodiscard]] const OpenedFiles::Entry* shown_file() const;
  [[nodiscard]] files::Notes* open_notes() const;
  [[nodiscard]] bool can_undo() const;
  [[nodiscard]] bool can_redo() const;
  void stop_or_close();
  void stop();
  void reset_settings();
  void copy_script();
  void change_scale(int steps);

  PageServices services_;
  Pages* pages_;
  Presenter* presenter_;
  WindowSheets* sheets_;
  Palette* palette_;
  RecentFiles recent_;
  bool popup_has_keys_ = false;  // at the end of the last frame
  int tab_steps_ = 0;            // panels that Tab goes on in the next frame, negative: back
};

}  // namespace ts::app
