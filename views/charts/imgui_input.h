#pragma once

#include <cstdint>

#include "views/charts/chart_input.h"
#include "views/common/draw_sink.h"

namespace ts::views {

// Puts an invisible button named `id` over `area` and reads off Dear ImGui what the user does
// there. Keys only where `takes_keys` and nobody types. Drags that leave the area go on.
ChartInput read_chart_input(const char* id, const Rect& area, bool takes_keys, std::int64_t now_ns);

// The steps of the arrow keys for the item before, while it has the focus: Dear ImGui does not move
// the focus ring by them then. 1 is right and down.
struct ArrowSteps {
  int x = 0;
  int y = 0;
};
ArrowSteps take_arrows();

// An invisible button over a part of a chart. Held: the mouse button is down on it.
struct HotSpot {
  bool hovered = false;
  bool pressed = false;
  bool held = false;
};
// Tab leads there and Enter presses it, unless it asks where the mouse is.
HotSpot hot_spot(const char* id, const Rect& area, bool by_keyboard = true);

}  // namespace ts::views
