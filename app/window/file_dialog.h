#pragma once

#include <filesystem>
#include <memory>
#include <vector>

namespace ts::app {

// The desktop's own dialog to choose files (zenity, kdialog, ...), beside the window's frames. Main
// thread.
class FileDialog {
 public:
  FileDialog();
  ~FileDialog();
  FileDialog(const FileDialog&) = delete;
  FileDialog& operator=(const FileDialog&) = delete;

  // The desktop has such a dialog. Looks for it once, which takes some milliseconds.
  static bool available();
  // Opens it; nothing while it is open.
  void open(const std::string& title);
  // What was chosen since the last time; empty while the user has not decided, or gave up.
  std::vector<std::filesystem::path> take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ts::app
