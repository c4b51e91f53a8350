#include "views/charts/read_out.h"

#include <algorithm>
#include <cmath>

#include "views/charts/chart_text.h"

namespace ts::views {

namespace {

float padding_of(Metrics metrics) {
  return std::round(metrics.px(8));
}

// The width of the widest line that is shown whole.
float widest_line(Metrics metrics, const Rect& bounds) {
  return std::max(0.0F, std::min(bounds.width() - 2 * padding_of(metrics), metrics.px(560)));
}

}  // namespace

float read_out_path_room(const DrawSink& sink, Metrics metrics, const Rect& bounds,
                         std::span<const ReadOutLine> others) {
  constexpr float kShare = 0.4F;
  float room = std::max(kShare * bounds.width(), metrics.px(320)) - 2 * padding_of(metrics) - 1;
  for (const ReadOutLine& line : others)
    room = std::max(room, sink.text_width(line.style, line.text));
  return std::min(room, widest_line(metrics, bounds));
}

void draw_read_out(DrawSink& sink, const Theme& theme, Metrics metrics, Point mouse,
                   const Rect& bounds, std::span<const ReadOutLine> lines) {
  const float padding = padding_of(metrics);
  const float gap = std::round(metrics.px(2));
  const float away = std::round(metrics.px(14));
  const float most = widest_line(metrics, bounds);
  float width = 0;
  float height = 2 * padding - gap;
  for (const ReadOutLine& line : lines) {
    width = std::max(width, std::min(most, sink.text_width(line.style, line.text)));
    height += sink.text_height(line.style) + gap;
  }
  width = std::min(std::ceil(width) + 2 * padding + 1, bounds.width());
  height = std::min(height, bounds.height());
  float x = mouse.x + away;
  if (x + width > bounds.x1) x = mouse.x - away - width;
  x = std::clamp(x, bounds.x0, bounds.x1 - width);
  float y = mouse.y + away;
  if (y + height > bounds.y1) y = mouse.y - away - height;
  y = std::clamp(y, bounds.y0, bounds.y1 - height);
  const Rect plate{std::floor(x), std::floor(y), std::floor(x + width), std::floor(y + height)};
  sink.fill(plate, theme.surface2, metrics.px(3));
  sink.outline(plate, theme.line, 1, metrics.px(3));
  float line_y = plate.y0 + padding;
  for (const ReadOutLine& line : lines) {
    const float line_height = sink.text_height(line.style);
    if (line_y + line_height > plate.y1) break;
    text_in(sink, {plate.x0 + padding, line_y, plate.x1 - padding + 1, line_y + line_height},
            line.style, line.strong ? theme.text : theme.text2, line.text);
    line_y += line_height + gap;
  }
}

}  // namespace ts::views
