#pragma once

#include <span>
#include <vector>

#include "views/common/draw_sink.h"

namespace ts::views {

// The occupied parts of a plot, used to place text beside them. While there is room, no label
// overlaps a mark, a line or another label. Unit: pixels.
class LabelSpace {
 public:
  void take(const Rect& rect) { taken_.push_back(rect); }
  void take(std::span<const Point> line);
  // The first of the places, moved into `bounds`, that touches nothing, else the one that touches
  // least. The result becomes occupied.
  Rect place(std::span<const Rect> places, const Rect& bounds);
  // Beside a point: right of it, above, below, left, then at larger distances.
  Rect beside(Point point, float width, float height, float gap, const Rect& bounds);
  // How much a rectangle touches: 4 for each mark or label, 1 for each line.
  [[nodiscard]] int touched(const Rect& rect) const;

 private:
  struct Stroke {
    Point a, b;
  };
  std::vector<Rect> taken_;
  std::vector<Stroke> strokes_;
};

// True if a line passes through a rectangle.
bool crosses(Point a, Point b, const Rect& rect);

}  // namespace ts::views
