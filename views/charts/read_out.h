#pragma once

#include <span>
#include <string>

#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// A line of the read-out beside the mouse.
struct ReadOutLine {
  std::string text;
  TextStyle style = TextStyle::small;
  bool strong = false;  // in the colour of values instead of that of labels
};

// The width of the widest line that is shown whole where there is room, in pixels.
float widest_read_out_line(Metrics metrics);

// Draws the read-out inside `bounds`, beside the mouse on the side with room, never under the
// mouse.
void draw_read_out(DrawSink& sink, const Theme& theme, Metrics metrics, Point mouse,
                   const Rect& bounds, std::span<const ReadOutLine> lines);

}  // namespace ts::views
