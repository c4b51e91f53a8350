#include "views/common/marks.h"

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

}  // namespace ts::views
