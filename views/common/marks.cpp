#include "views/common/marks.h"

#include <algorithm>
#include <cmath>

namespace ts::views {

void draw_mark(DrawSink& sink, const MarkStyle& style, Point c, float radius) {
  const Color color = style.color;
  const Rect box{c.x - radius, c.y - radius, c.x + radius, c.y + radius};
  switch (style.shape) {
    case MarkShape::circle:
      sink.fill(box, color, radius);
      break;
    case MarkShape::square:
      sink.fill(box, color);
      break;
    case MarkShape::triangle_up:
      sink.triangle({c.x, box.y0 - radius * 0.2F}, {box.x1 + radius * 0.2F, box.y1},
                    {box.x0 - radius * 0.2F, box.y1}, color);
      break;
    case MarkShape::triangle_down:
      sink.triangle({box.x0 - radius * 0.2F, box.y0}, {box.x1 + radius * 0.2F, box.y0},
                    {c.x, box.y1 + radius * 0.2F}, color);
      break;
    case MarkShape::triangle_right:
      sink.triangle({box.x0, box.y0 - radius * 0.2F}, {box.x1 + radius * 0.2F, c.y},
                    {box.x0, box.y1 + radius * 0.2F}, color);
      break;
    case MarkShape::hexagon: {
      const float edge = radius * 0.5F, reach = radius * 0.2F;
      sink.fill({box.x0 + edge, box.y0, box.x1 - edge, box.y1}, color);
      sink.triangle({box.x0 + edge, box.y0}, {box.x0 + edge, box.y1}, {box.x0 - reach, c.y}, color);
      sink.triangle({box.x1 - edge, box.y0}, {box.x1 + reach, c.y}, {box.x1 - edge, box.y1}, color);
      break;
    }
    case MarkShape::diamond:
      sink.triangle({c.x, box.y0 - 1}, {box.x1 + 1, c.y}, {box.x0 - 1, c.y}, color);
      sink.triangle({box.x0 - 1, c.y}, {box.x1 + 1, c.y}, {c.x, box.y1 + 1}, color);
      break;
    case MarkShape::ring:
      sink.outline(box, color, 1.5F, radius);
      break;
  }
}

void draw_cross(DrawSink& sink, Point c, float radius, Color color, float thickness) {
  sink.line({c.x - radius, c.y - radius}, {c.x + radius, c.y + radius}, color, thickness);
  sink.line({c.x - radius, c.y + radius}, {c.x + radius, c.y - radius}, color, thickness);
}

void draw_brush(DrawSink& sink, const Theme& theme, const Rect& map, float x0, float x1) {
  if (x0 <= map.x0 && x1 >= map.x1) return;
  constexpr float kLeast = 3;
  x0 = std::clamp(std::round(x0), map.x0, std::max(map.x0, map.x1 - kLeast));
  x1 = std::clamp(std::round(x1), std::min(x0 + kLeast, map.x1), map.x1);
  const Color veil = with_alpha(theme.surface, 0.55F);
  if (x0 > map.x0) sink.fill({map.x0, map.y0, x0, map.y1}, veil);
  if (x1 < map.x1) sink.fill({x1, map.y0, map.x1, map.y1}, veil);
  sink.outline({x0, map.y0, x1, map.y1}, theme.text, 1);
  const float middle = std::round((map.y0 + map.y1) / 2);
  for (const float x : {x0, x1}) {
    const Rect handle{std::max(x - 2, map.x0), middle - 5, std::min(x + 2, map.x1), middle + 5};
    sink.fill(handle, theme.text, 1);
  }
}

}  // namespace ts::views
