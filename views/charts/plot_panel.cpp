#include "views/charts/plot_panel.h"

#include <algorithm>
#include <cmath>

namespace ts::views {

void draw_left_axis(const PlotPanel& panel, const PlotAxis& y, std::span<const Tick> ticks,
                    float gap) {
  const auto& [sink, theme, metrics, plot] = panel;
  for (const Tick& tick : ticks) {
    const float at = std::round(y.position(tick.position));
    sink.fill({plot.x0, at, plot.x1, at + 1}, theme.grid);
    const float width = sink.text_width(TextStyle::small, tick.label);
    sink.text({plot.x0 - metrics.px(gap) - width, at - sink.text_height(TextStyle::small) / 2},
              TextStyle::small, theme.text2, tick.label);
  }
  sink.fill({plot.x0, plot.y0, plot.x0 + 1, plot.y1}, theme.line);
}

void draw_bottom_axis(const PlotPanel& panel, const PlotAxis& x, std::span<const Tick> ticks,
                      float gap, float end) {
  const auto& [sink, theme, metrics, plot] = panel;
  sink.fill({plot.x0, plot.y1, plot.x1, plot.y1 + 1}, theme.line);
  for (const Tick& tick : ticks) {
    const float at = std::round(x.position(tick.position));
    sink.fill({at, plot.y1, at + 1, plot.y1 + metrics.px(4)}, theme.line);
    const float width = sink.text_width(TextStyle::small, tick.label);
    sink.text({std::min(at - width / 2, end - width), plot.y1 + metrics.px(gap)}, TextStyle::small,
              theme.text2, tick.label);
  }
}

GroupNames::GroupNames(const PlotPanel& panel) : panel_(panel) {
  draw_bottom_axis(panel, {}, {});
}

void GroupNames::draw(float middle, const std::string& name, float end) {
  const auto& [sink, theme, metrics, plot] = panel_;
  const float half = sink.text_width(TextStyle::small, name) / 2;
  if (middle - half <= last_ + metrics.px(6) || middle + half > end) return;
  sink.text({middle - half, plot.y1 + metrics.px(7)}, TextStyle::small, theme.text2, name);
  last_ = middle + half;
}

void draw_error_bar(DrawSink& sink, Point low, Point high, float cap, Color color,
                    float thickness) {
  const bool upright = low.x == high.x;
  for (const Point& end : {low, high}) {
    const Point across{upright ? cap : 0, upright ? 0 : cap};
    sink.line({end.x - across.x, end.y - across.y}, {end.x + across.x, end.y + across.y}, color,
              thickness);
  }
  sink.line(low, high, color, thickness);
}

}  // namespace ts::views
