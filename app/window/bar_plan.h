#pragma once

namespace ts::app {

// Widths of the parts of the top bar, in pixels, each with the gap before it. 0: not there.
struct BarParts {
  float logo = 0, name = 0;       // of the program
  float menus = 0, one_menu = 0;  // side by side, or all behind one button
  float pages = 0;
  float run = 0, live = 0;
  float labelled = 0, icons = 0;  // language and projector: with words, or their icons alone
  float device = 0;
  bool target = false;  // wants a field for the target card
  bool one_menu_only = false;
  float gap = 0;   // before the field of the target card
  float unit = 1;  // pixels at scale 1
};

// The parts of the bar that are shown.
struct BarPlan {
  bool device = true;
  bool labels = true;  // of language and projector
  bool name = true;
  bool menus = true;  // side by side
  float target = 0;   // width of the field; 0: none
};

// The most that fits into `width`. The device is dropped first, then the size of the target, words,
// the name of the program; then the menus go behind one button. The buttons stay.
BarPlan plan_bar(const BarParts& parts, float width);

}  // namespace ts::app
