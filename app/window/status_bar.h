#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/pages/page_view.h"
#include "app/pages/pages.h"
#include "app/window/window_actions.h"
#include "views/common/ui.h"
#include "views/inspector/check_list.h"

namespace ts::app {

// The bar below everything: figures of the run on screen, the sentence of Notices, memory of the
// program and frames per second; on the projector the keys for a lecture. Main thread.
class StatusBar {
 public:
  StatusBar(const PageServices& services, Pages& pages, const WindowActions& actions)
      : services_(services), pages_(&pages), actions_(&actions) {}

  // `frame_rate` is left out of pictures: it differs from one to the next.
  void draw(const views::Ui& ui, bool frame_rate);

 private:
  // The place for the next words from the left.
  struct Line;
  void draw_run(Line& line) const;
  std::vector<report::CheckResult> checks_on_screen(bool stale);
  void draw_checks(Line& line);
  void draw_warnings(Line& line) const;
  void draw_middle(Line& line, float end) const;
  [[nodiscard]] std::string kernels_not_recorded() const;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> projector_keys() const;

  PageServices services_;
  Pages* pages_;
  const WindowActions* actions_;
  views::CheckList checks_;
};

}  // namespace ts::app
