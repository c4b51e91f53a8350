#include "views/sweep/label_space.h"

#include <algorithm>
#include <limits>

namespace ts::views {
namespace {

Rect moved_into(Rect rect, const Rect& bounds) {
  const float x = std::max(bounds.x0, std::min(rect.x0, bounds.x1 - rect.width())) - rect.x0;
  const float y = std::max(bounds.y0, std::min(rect.y0, bounds.y1 - rect.height())) - rect.y0;
  return {rect.x0 + x, rect.y0 + y, rect.x1 + x, rect.y1 + y};
}

}  // namespace

// Liang-Barsky clipping: the part of the line that remains after each side of the rectangle.
bool crosses(Point a, Point b, const Rect& rect) {
  float from = 0, to = 1;
  const float dx = b.x - a.x, dy = b.y - a.y;
  const auto cut = [&](float direction, float distance) {
    if (direction == 0) return distance >= 0;
    const float part = distance / direction;
    if (direction < 0) from = std::max(from, part);
    if (direction > 0) to = std::min(to, part);
    return from <= to;
  };
  return cut(-dx, a.x - rect.x0) && cut(dx, rect.x1 - a.x) && cut(-dy, a.y - rect.y0) &&
         cut(dy, rect.y1 - a.y);
}

void LabelSpace::take(std::span<const Point> line) {
  for (std::size_t i = 1; i < line.size(); ++i) strokes_.push_back({line[i - 1], line[i]});
}

int LabelSpace::touched(const Rect& rect) const {
  const auto marks =
      std::ranges::count_if(taken_, [&](const Rect& other) { return overlap(rect, other); });
  const auto lines = std::ranges::count_if(
      strokes_, [&](const Stroke& one) { return crosses(one.a, one.b, rect); });
  // Overlapping words cannot be read at all; a line through words is less bad.
  return static_cast<int>(4 * marks + lines);
}

Rect LabelSpace::place(std::span<const Rect> places, const Rect& bounds) {
  Rect best = places.front();
  int least = std::numeric_limits<int>::max();
  for (const Rect& place : places) {
    const Rect inside = moved_into(place, bounds);
    const int touched_here = touched(inside);
    if (touched_here >= least) continue;
    least = touched_here;
    best = inside;
    if (least == 0) break;
  }
  take(best);
  return best;
}

Rect LabelSpace::beside(Point point, float width, float height, float gap, const Rect& bounds) {
  std::vector<Rect> places;
  const auto at = [&](float x, float y) { places.push_back({x, y, x + width, y + height}); };
  constexpr int kSteps = 7;
  for (int step = 0; step < kSteps; ++step) {
    const float away = gap + static_cast<float>(step) * height;
    at(point.x + away, point.y - height / 2);
    at(point.x + gap, point.y - away - height);
    at(point.x + gap, point.y + away);
    at(point.x - width / 2, point.y - away - height);
    at(point.x - width / 2, point.y + away);
    at(point.x - width - gap, point.y - away - height);
    at(point.x - width - gap, point.y + away);
    at(point.x - width - away, point.y - height / 2);
  }
  return place(places, bounds);
}

}  // namespace ts::views
