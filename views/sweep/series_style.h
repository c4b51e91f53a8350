#pragma once

#include <vector>

#include "core/sweep/sweep.h"
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
  triangle_right
};

// How a series looks in every panel and list: never by its colour alone.
struct SeriesStyle {
  Color color = 0;
  MarkShape shape = MarkShape::circle;
};
// Backends have the colours and marks they have everywhere; other series take them in turn.
std::vector<SeriesStyle> series_styles(const sweep::Sweep& sweep, ThemeKind theme);

// The same for every curve of curves_of(): with one series over two axes the second value tells the
// curves apart.
std::vector<SeriesStyle> curve_styles(const sweep::Sweep& sweep, ThemeKind theme);

void draw_mark(DrawSink& sink, const SeriesStyle& style, Point centre, float radius);
// Out of memory.
void draw_cross(DrawSink& sink, Point centre, float radius, Color color, float thickness);

}  // namespace ts::views
