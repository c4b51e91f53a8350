#pragma once

#include <cstdint>

#include "views/common/draw_sink.h"

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

}  // namespace ts::views
