#include "views/charts/stale_mark.h"

#include <algorithm>
#include <cmath>

#include "views/charts/chart_text.h"

namespace ts::views {

std::string stale_text(const text::Texts& texts, const std::string& settings) {
  return texts("stale.of", {{"settings", settings}});
}

void draw_faded(DrawSink& sink, const Theme& theme, const Rect& area) {
  sink.fill(area, with_alpha(theme.surface, 0.55F));
}

void draw_stale(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& area,
                const text::Texts& texts, const std::string& settings) {
  if (settings.empty()) return;
  draw_faded(sink, theme, area);
  const float padding = metrics.px(10);
  const std::string words =
      fitted(sink, TextStyle::body_medium, stale_text(texts, settings), area.width() - 4 * padding);
  const float width = sink.text_width(TextStyle::body_medium, words) + 2 * padding;
  const float height = sink.text_height(TextStyle::body_medium) + metrics.px(8);
  const float left = std::round((area.x0 + area.x1 - width) / 2);
  const float top = std::round(area.y0 + std::min(metrics.px(12), area.height() / 4));
  const Rect plate{left, top, left + width, top + height};
  if (plate.x0 < area.x0 || plate.y1 > area.y1) return;
  sink.fill(plate, theme.surface3, metrics.px(3));
  sink.outline(plate, theme.warn, std::max(1.0F, metrics.px(1)), metrics.px(3));
  text_in(sink, {plate.x0 + padding, plate.y0, plate.x1, plate.y1}, TextStyle::body_medium,
          theme.text, words);
}

}  // namespace ts::views
