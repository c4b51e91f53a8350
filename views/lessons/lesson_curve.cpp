#include "views/lessons/lesson_curve.h"

#include <algorithm>
#include <string>

#include "views/charts/chart_text.h"

namespace ts::views {
namespace {

constexpr float kFigure = 300;  // at scale 1
constexpr double kRoom = 1.15;  // a factor beside the first and the last place

Ticks value_ticks_of(const LessonCurve& curve, const PlotAxis& y, float apart) {
  switch (lessons::curve_unit(*curve.lesson.question->curve)) {
    case lessons::Unit::bytes:
      return byte_value_ticks(y, apart);
    case lessons::Unit::ms:
      return time_value_ticks(y, apart);
    default:
      return number_ticks(y, apart);
  }
}

std::vector<Point> path_of(const LessonCurvePlot& at, std::span<const lessons::CurvePoint> points) {
  std::vector<Point> path;
  for (const lessons::CurvePoint& one : points)
    path.push_back({at.x.position(one.x), at.y.position(one.y)});
  return path;
}

void draw_axes(DrawSink& sink, const LessonCurve& curve, const LessonCurvePlot& at,
               const Rect& area) {
  const Metrics& m = curve.metrics;
  const float small = sink.text_height(TextStyle::small);
  const Ticks values = value_ticks_of(curve, at.y, small * 2);
  for (const Tick& tick : values.ticks) {
    const float y = at.y.position(tick.position);
    sink.line({at.plot.x0, y}, {at.plot.x1, y}, curve.theme.grid);
    text_right(sink, {area.x0, y - small, at.plot.x0 - m.px(6), y + small}, TextStyle::small,
               curve.theme.text2, tick.label);
  }
  sink.text({area.x0, area.y0}, TextStyle::small, curve.theme.text2, values.unit);
  for (const double place : lessons::curve_places(curve.lesson, curve.tier)) {
    const float x = at.x.position(place);
    const std::string label = short_count(place);
    sink.line({x, at.plot.y0}, {x, at.plot.y1}, curve.theme.grid);
    sink.text({x - sink.text_width(TextStyle::small, label) / 2, at.plot.y1 + m.px(4)},
              TextStyle::small, curve.theme.text2, label);
  }
  sink.line({at.plot.x0, at.plot.y1}, {at.plot.x1, at.plot.y1}, curve.theme.line);
}

}  // namespace

float lesson_curve_height(Metrics metrics) {
  return metrics.px(kFigure);
}

LessonCurvePlot lesson_curve_plot(const DrawSink& sink, const Rect& area,
                                  const LessonCurve& curve) {
  const Metrics& m = curve.metrics;
  const float small = sink.text_height(TextStyle::small);
  const Rect plot{area.x0 + m.px(72), area.y0 + small + m.px(10), area.x1 - m.px(8),
                  area.y1 - small - m.px(10)};
  const auto places = lessons::curve_places(curve.lesson, curve.tier);
  lessons::CurveRange range = lessons::curve_range(*curve.lesson.question->curve, curve.tier);
  const auto widen = [&range](std::span<const lessons::CurvePoint> points) {
    for (const lessons::CurvePoint& one : points) {
      range.low = std::min(range.low, one.y);
      range.high = std::max(range.high, one.y);
    }
  };
  widen(curve.guess);
  if (curve.found != nullptr) {
    widen(curve.found->measured);
    widen(curve.found->predicted);
  }
  return {.plot = plot,
          .x = {.low = places.front() / kRoom,
                .high = places.back() * kRoom,
                .log = true,
                .from = plot.x0,
                .to = plot.x1},
          .y = {.low = range.low, .high = range.high, .log = true, .from = plot.y1, .to = plot.y0}};
}

void draw_lesson_curve(DrawSink& sink, const Rect& area, const LessonCurve& curve) {
  const Metrics& m = curve.metrics;
  const LessonCurvePlot at = lesson_curve_plot(sink, area, curve);
  sink.fill(at.plot, curve.theme.surface2);
  draw_axes(sink, curve, at, area);
  float key = at.plot.x0;
  const auto name = [&](const char* text, Color color) {
    const std::string words = curve.texts(text);
    sink.text({key, area.y0}, TextStyle::small, color, words);
    key += sink.text_width(TextStyle::small, words) + m.px(16);
  };
  if (curve.found != nullptr && !curve.found->measured.empty()) {
    const auto path = path_of(at, curve.found->measured);
    sink.polyline(path, curve.theme.accent, m.px(2));
    for (const Point& point : path)
      sink.fill({point.x - m.px(4), point.y - m.px(4), point.x + m.px(4), point.y + m.px(4)},
                curve.theme.accent, m.px(4));
    name("lesson.report.measured", curve.theme.accent);
  }
  if (curve.found != nullptr && !curve.found->predicted.empty()) {
    dashed_path(sink, path_of(at, curve.found->predicted), curve.theme.text, m.px(1.4F), m.px(4),
                m.px(3));
    name("lesson.report.predicted", curve.theme.text);
  }
  if (curve.guess.empty()) return;
  const auto path = path_of(at, curve.guess);
  if (path.size() > 1) dashed_path(sink, path, curve.theme.warn, m.px(2), m.px(8), m.px(3));
  for (const Point& point : path)
    sink.outline({point.x - m.px(4), point.y - m.px(4), point.x + m.px(4), point.y + m.px(4)},
                 curve.theme.warn, m.px(2), m.px(4));
  name("lesson.report.guess", curve.theme.warn);
}

}  // namespace ts::views
