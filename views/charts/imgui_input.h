#pragma once

#include <cstdint>

#include "views/charts/chart_input.h"
#include "views/common/draw_sink.h"

namespace ts::views {

// Puts an invisible button named `id` over `area` and reads off Dear ImGui what the user does
// there. Keys only where `takes_keys` and nobody types. Drags that leave the area go on.
ChartInput read_chart_input(const char* id, const Rect& area, bool takes_keys, std::int64_t now_ns);

// An invisible button over a part of a chart. Held: the mouse button is down on it.
struct HotSpot {
  bool hovered = false;
  bool pressed = false;
  bool held = false;
};
HotSpot hot_spot(const char* id, const Rect& area);

}  // namespace ts::views
