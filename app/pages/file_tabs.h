#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/session/opened_files.h"
#include "views/common/ui.h"

namespace ts::app {

// How far a file is read, which it is.
std::string reading_text(const text::Texts& texts, const OpenedFiles::Entry& entry);

// The tabs above the page of runs: the run and the opened files, and below them how far the file on
// screen is read. Nothing without files. Main thread.
class FileTabs {
 public:
  void draw(const views::Ui& ui, OpenedFiles& files);

 private:
  void draw_tabs(const views::Ui& ui, OpenedFiles& files);

  void draw_reading_bar(const views::Ui& ui, OpenedFiles& files);

  std::int64_t reading_since_ns_ = 0;  // 0: the file on screen is read
  std::optional<int> shown_;           // id of the file in the last frame; unset: the run
};

}  // namespace ts::app
