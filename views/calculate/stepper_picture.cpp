#include "views/calculate/stepper_picture.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "views/charts/chart_text.h"

namespace ts::views {
namespace stepping {

void draw_matrix(DrawSink& sink, const Rect& area, const Theme& theme, std::span<const float> of,
                 std::size_t rows, std::size_t columns) {
  sink.fill(area, theme.surface3);
  if (rows == 0 || columns == 0 || of.empty()) return;
  float largest = 0;
  for (const float one : of)
    if (std::isfinite(one)) largest = std::max(largest, std::abs(one));
  const auto cells = [](std::size_t count, float pixels) {
    return std::min(count, std::max<std::size_t>(1, static_cast<std::size_t>(pixels)));
  };
  const std::size_t down = cells(rows, area.height()), across = cells(columns, area.width());
  const float height = area.height() / static_cast<float>(down);
  const float width = area.width() / static_cast<float>(across);
  const float gap = std::min(width, height) > 6 ? 1.0F : 0.0F;
  for (std::size_t y = 0; y < down; ++y) {
    for (std::size_t x = 0; x < across; ++x) {
      const float value = of[y * rows / down * columns + x * columns / across];
      if (!std::isfinite(value)) continue;
      const float part = largest > 0 ? std::abs(value) / largest : 0;
      const Rect cell{area.x0 + static_cast<float>(x) * width,
                      area.y0 + static_cast<float>(y) * height,
                      area.x0 + static_cast<float>(x + 1) * width - gap,
                      area.y0 + static_cast<float>(y + 1) * height - gap};
      sink.fill(cell,
                mixed(theme.surface, value < 0 ? theme.warn : theme.accent, 0.06F + 0.94F * part));
    }
  }
}

float parts_height(const DrawSink& sink, Metrics metrics) {
  return sink.text_height(TextStyle::body) + metrics.px(26);
}

float draw_parts(DrawSink& sink, const Rect& area, const Theme& theme, Metrics metrics,
                 const BarStyle& look) {
  const float words = sink.text_height(TextStyle::body);
  const Rect line{area.x0, area.y0, area.x1, area.y0 + words};
  const float remark = sink.text_width(TextStyle::body, look.remark);
  text_in(sink, {line.x0, line.y0, line.x1 - remark - metrics.px(12), line.y1}, TextStyle::body,
          theme.text2, look.name);
  text_right(sink, line, TextStyle::body, theme.text, look.remark);
  const Rect bar{area.x0, line.y1 + metrics.px(3), area.x1, line.y1 + metrics.px(15)};
  sink.fill(bar, theme.surface3);
  float x = bar.x0;
  for (const Part& part : look.parts) {
    const float width = bar.width() * static_cast<float>(part.value / look.most);
    sink.fill({x, bar.y0, std::min(x + width, bar.x1), bar.y1}, part.color);
    x += width;
  }
  if (look.limit > 0) {
    const float at = bar.x0 + bar.width() * static_cast<float>(look.limit / look.most);
    sink.line({at, bar.y0 - metrics.px(3)}, {at, bar.y1 + metrics.px(3)}, look.limit_color,
              metrics.px(2));
  }
  return area.y0 + parts_height(sink, metrics);
}

void draw_grid(DrawSink& sink, float left, const StepperPicture& picture, const PlotAxis& x,
               const PlotAxis& y, Color words) {
  const Metrics& m = picture.metrics;
  const float small = sink.text_height(TextStyle::small);
  for (const Tick& tick : number_ticks(y, small * 2).ticks) {
    const float at = y.position(tick.position);
    sink.line({x.from, at}, {x.to, at}, picture.theme.grid);
    text_right(sink, {left, at - small, x.from - m.px(6), at + small}, TextStyle::small, words,
               tick.label);
  }
  for (const Tick& tick : number_ticks(x, m.px(60)).ticks) {
    const float at = x.position(tick.position);
    const float wide = sink.text_width(TextStyle::small, tick.label);
    sink.text({std::min(at - wide / 2, x.to - wide), y.from + m.px(4)}, TextStyle::small, words,
              tick.label);
  }
}

float draw_key(DrawSink& sink, Point at, const Theme& theme, Metrics metrics, Color color,
               std::string_view words) {
  const float height = sink.text_height(TextStyle::small), side = metrics.px(9);
  const float top = at.y + (height - side) / 2;
  sink.fill({at.x, top, at.x + side, top + side}, color);
  sink.outline({at.x, top, at.x + side, top + side}, theme.line);
  const float x = at.x + side + metrics.px(5);
  sink.text({x, at.y}, TextStyle::small, theme.text2, words);
  return x + sink.text_width(TextStyle::small, words) + metrics.px(14);
}

}  // namespace stepping

void draw_stepper(DrawSink& sink, const Rect& area, const StepperPicture& picture) {
  const Metrics& m = picture.metrics;
  const base::Message said = stepper::said_at(picture.walk, picture.step);
  const std::string words = picture.texts(said.key, said.arguments);
  const float line = sink.text_height(TextStyle::body_strong) + m.px(3);
  float y = area.y0;
  for (const std::string& one :
       wrapped_fitted(sink, TextStyle::body_strong, words, area.width(), 2)) {
    sink.text({area.x0, y}, TextStyle::body_strong, picture.theme.text, one);
    y += line;
  }
  // Room for two lines, so that the picture does not move from step to step.
  const Rect below{area.x0, area.y0 + 2 * line + m.px(8), area.x1, area.y1};
  std::visit([&](auto& walk) { stepping::draw(sink, below, picture, walk); }, picture.walk);
}

}  // namespace ts::views
