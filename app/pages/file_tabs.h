#pragma once

#include <optional>

#include "app/session/opened_files.h"
#include "views/common/ui.h"

namespace ts::app {

// The tabs above the page of runs: the run and the opened files. Nothing without files. Main
// thread.
class FileTabs {
 public:
  void draw(const views::Ui& ui, OpenedFiles& files);

 private:
  std::optional<int> shown_;  // id of the file in the last frame; unset: the run
};

}  // namespace ts::app
