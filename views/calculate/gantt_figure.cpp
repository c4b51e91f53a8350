#include "views/calculate/gantt_figure.h"

#include <algorithm>
#include <vector>

#include "views/charts/chart_text.h"
#include "views/charts/plot_axis.h"

namespace ts::views {
namespace {

// At scale 1.
constexpr float kRow = 24;
constexpr float kNames = 170;
constexpr float kScale = 22;
constexpr float kTicksApart = 90;

Color color_of(const Theme& theme, simulate::Interval::Kind kind) {
  using Kind = simulate::Interval::Kind;
  switch (kind) {
    case Kind::compute:
      return theme.accent_fill;
    case Kind::communication:
      return theme.warn;
    case Kind::waiting:
      return theme.surface3;
  }
  return theme.surface3;
}

}  // namespace

float gantt_figure_height(const GanttFigure& figure) {
  return figure.metrics.px(kRow * static_cast<float>(figure.outcome.lanes.size()) + kScale);
}

void draw_gantt_figure(DrawSink& sink, const Rect& area, const GanttFigure& figure) {
  const Metrics& m = figure.metrics;
  const simulate::Outcome& outcome = figure.outcome;
  const float room = area.height() - m.px(kScale);
  const auto rows =
      std::min(outcome.lanes.size(), static_cast<std::size_t>(std::max(0.0F, room) / m.px(kRow)));
  double end = 0;
  for (const simulate::Interval& one : outcome.timeline) end = std::max(end, one.end);
  if (rows == 0 || end <= 0) return;
  const float left = area.x0 + m.px(kNames);
  const float bottom = area.y0 + m.px(kRow) * static_cast<float>(rows);
  // Axes of time count milliseconds.
  const PlotAxis axis{.high = end * 1e3, .from = left, .to = area.x1};
  const Ticks ticks = time_value_ticks(axis, m.px(kTicksApart));
  text_right(sink, {area.x0, bottom, left - m.px(8), bottom + m.px(kScale)}, TextStyle::small,
             figure.theme.text2, ticks.unit);
  for (const Tick& tick : ticks.ticks) {
    const float x = axis.position(tick.position);
    sink.fill({x, area.y0, x + 1, bottom}, figure.theme.line);
    text_in(sink, {x, bottom, area.x1, bottom + m.px(kScale)}, TextStyle::small, figure.theme.text2,
            tick.label);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    const simulate::Lane& lane = outcome.lanes[i];
    const float top = area.y0 + m.px(kRow) * static_cast<float>(i);
    text_in(sink, {area.x0, top, left - m.px(8), top + m.px(kRow)}, TextStyle::small,
            figure.theme.text2, lane.process + " " + lane.name);
  }
  std::vector<float> drawn(rows, left - 1);  // up to here, of each row
  for (const simulate::Interval& one : outcome.timeline) {
    if (one.lane >= rows) continue;
    // Only the first of thousands that share a pixel is drawn.
    if (axis.position(one.end * 1e3) <= drawn[one.lane]) continue;
    const float top = area.y0 + m.px(kRow) * static_cast<float>(one.lane) + m.px(2);
    const float from = axis.position(one.begin * 1e3);
    const Rect box{from, top, std::max(axis.position(one.end * 1e3), from + 1),
                   top + m.px(kRow - 4)};
    drawn[one.lane] = box.x1;
    sink.fill(box, color_of(figure.theme, one.kind));
    // An outline would hide a thin box, and a name has no room in it.
    if (box.width() <= m.px(4)) continue;
    sink.outline(box, figure.theme.bg, 1);
    const bool dark = one.kind == simulate::Interval::Kind::communication;
    text_in(sink, {box.x0 + m.px(4), box.y0, box.x1 - m.px(2), box.y1}, TextStyle::small,
            dark                                            ? figure.theme.bg
            : one.kind == simulate::Interval::Kind::waiting ? figure.theme.text2
                                                            : figure.theme.on_accent,
            one.name);
  }
}

}  // namespace ts::views
