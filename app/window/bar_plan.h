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
  float gap = 0;   // before that field
  float unit = 1;  // pixels at scale 1
};

// What of the bar is shown.
struct BarPlan {
  bool device = true;
  bool labels = true;  // of language and projector
  bool name = true;
  bool menus = true;  // side by side
  float target = 0;   // width of the field; 0: none
};

// The most that `width` has room for. The device goes first, then the size of the target, words,
// the name of the program, and the menus go behind one button; what is pressed stays.
BarPlan plan_bar(const BarParts& parts, float width);

}  // namespace ts::app
