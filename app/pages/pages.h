#pragma once

#include <array>

#include "app/pages/compare_page.h"
#include "app/pages/hunt_page.h"
#include "app/pages/lessons_page.h"
#include "app/pages/run_page.h"
#include "app/pages/sweep_page.h"

namespace ts::app {

// The five pages of a window or picture, and which of them is shown. Main thread.
class Pages {
 public:
  explicit Pages(const PageServices& services);

  // The page of WorkspaceState::page; the page of runs for a panel alone.
  [[nodiscard]] PageView& current() const;
  [[nodiscard]] const std::array<PageView*, kPages.size()>& all() const { return all_; }
  // A file is on screen.
  [[nodiscard]] bool shows_file() const;

  RunPage run;
  SweepPage sweep;
  HuntPage hunt;
  ComparePage compare;
  LessonsPage lessons;

 private:
  Session* session_;
  WorkspaceState* state_;
  std::array<PageView*, kPages.size()> all_;  // in the order of kPages
};

}  // namespace ts::app
