#pragma once

#include <cstdint>

#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

enum class MarkShape : std::uint8_t {
  circle,
  square,
  triangle_up,
  diamond,
  triangle_down,
  ring,
  triangle_right,
  hexagon
};

struct MarkStyle {
  Color color = 0;
  MarkShape shape = MarkShape::circle;
};
void draw_mark(DrawSink& sink, const MarkStyle& style, Point centre, float radius);
// The mark for out of memory.
void draw_cross(DrawSink& sink, Point centre, float radius, Color color, float thickness);
// The part in view on a map of the whole: the rest is fainter; nothing is drawn where it is all.
void draw_brush(DrawSink& sink, const Theme& theme, const Rect& map, float x0, float x1);

}  // namespace ts::views
