#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/text.h"

namespace ts::app {

// The kinds of files that the dialog offers: a name in the user's language, then its patterns.
std::vector<std::string> dialog_filters(const text::Texts& texts);

// The desktop's own file dialog (zenity, kdialog, ...), which runs beside the window's frames. Main
// thread.
class FileDialog {
 public:
  FileDialog();
  ~FileDialog();
  FileDialog(const FileDialog&) = delete;
  FileDialog& operator=(const FileDialog&) = delete;

  // True if the desktop has such a dialog. The search happens once and takes some milliseconds.
  static bool available();
  // Opens it; does nothing while it is open.
  void open(const text::Texts& texts, std::string_view title_key);
  // Files chosen since the last call; empty while the user has not decided, or cancelled.
  std::vector<std::filesystem::path> take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::app
