#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "views/charts/chart_input.h"
#include "views/common/draw_sink.h"
#include "views/common/view_state.h"

namespace ts::views {

// Calls `draw` with the content region of the current window in whole pixels, and takes it up.
// Nothing is drawn while it is too small or there are no fonts.
void draw_chart_region(const ViewContext& context,
                       const std::function<void(DrawSink&, const Rect&)>& draw);

// The shared cursor follows the mouse: takes away the cursor that this view had set (`own`), unless
// another view has set it since. Call after the chart's update.
void release_cursor(const ChartInput& input, std::optional<std::int64_t>& own, ViewState& state);

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
