#pragma once

#include <span>
#include <vector>

#include "views/common/draw_sink.h"

namespace ts::views {

// What stands in a plot already, so that words can be put beside it: no label lies under or over a
// mark, a line or another label as long as there is room. Pixels.
class LabelSpace {
 public:
  void take(const Rect& rect) { taken_.push_back(rect); }
  void take(std::span<const Point> line);
  // The first of the places that is inside `bounds` and free, else the one that covers least; it is
  // taken from then on.
  Rect place(std::span<const Rect> places, const Rect& bounds);
  // Beside a point: right of it, above, below, left, then further away.
  Rect beside(Point point, float width, float height, float gap, const Rect& bounds);
  // How many marks, labels and lines a rectangle touches.
  [[nodiscard]] int touched(const Rect& rect) const;

 private:
  struct Stroke {
    Point a, b;
  };
  std::vector<Rect> taken_;
  std::vector<Stroke> strokes_;
};

// Whether a line passes through a rectangle.
bool crosses(Point a, Point b, const Rect& rect);

}  // namespace ts::views
