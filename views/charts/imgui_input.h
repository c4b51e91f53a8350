#pragma once

#include <cstdint>

#include "views/charts/chart_input.h"
#include "views/common/draw_sink.h"

namespace ts::views {

// Puts an invisible button named `id` over `area` and reads the user's input from Dear ImGui. Keys
// count only if `takes_keys` is set and no text field is active. A drag continues outside the area.
ChartInput read_chart_input(const char* id, const Rect& area, bool takes_keys, std::int64_t now_ns);

// Arrow key steps for the item before it, while it has the focus. Dear ImGui then does not move the
// focus ring with them. 1 is right and down.
struct ArrowSteps {
  int x = 0;
  int y = 0;
};
ArrowSteps take_arrows();

// An invisible button over a part of a chart. held: the mouse button is down on it.
struct HotSpot {
  bool hovered = false;
  bool pressed = false;
  bool held = false;
};
// Reached by Tab and pressed by Enter, unless `by_keyboard` is false (the mouse position matters).
HotSpot hot_spot(const char* id, const Rect& area, bool by_keyboard = true);

}  // namespace ts::views
