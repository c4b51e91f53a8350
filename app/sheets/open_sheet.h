#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/session/file_list.h"
#include "views/common/ui.h"

namespace ts::app {

// The sheet to open a file without the desktop's dialog: a field for a path, the recent files, a
// folder to browse, and details of the marked entry. Main thread.
class OpenSheet {
 public:
  // `title`: key of the text above it.
  void open(const char* title) {
    asked_ = true;
    title_ = title;
  }

  struct Answer {
    std::optional<std::filesystem::path> chosen;
    std::optional<std::filesystem::path> forgotten;  // a recent file that is no longer there
    bool browse = false;                             // the user wants the desktop's own dialog
  };
  // `can_browse`: returns whether there is such a dialog.
  Answer draw(const views::Ui& ui, std::span<const std::string> recent, bool (*can_browse)());

 private:
  void go_to(const std::filesystem::path& folder);
  void mark(const std::filesystem::path& path);
  // True when the row was pressed twice.
  bool draw_file(const views::Ui& ui, const std::string& id, const ListedFile& file,
                 const std::string& words);
  bool draw_recent(const views::Ui& ui, Answer& answer);
  void draw_preview(const views::Ui& ui) const;

  bool asked_ = false;
  const char* title_ = "file.open_title";
  std::string typed_;
  bool focus_field_ = false;
  bool rewritten_ = false;  // the field takes over text that a row wrote into it
  FileList list_;
  std::vector<ListedFile> recent_;
  std::optional<ListedFile> marked_;
  std::string marked_text_;  // the source of `marked_`
  bool refused_ = false;     // it was to be opened and does not exist
};

}  // namespace ts::app
