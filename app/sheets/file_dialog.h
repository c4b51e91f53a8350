#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ts::app {

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
  void open(const std::string& title);
  // Files chosen since the last call; empty while the user has not decided, or cancelled.
  std::vector<std::filesystem::path> take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::app
