// The distance of single steps from the median: P50 solid, P90 and P99 above it.
#include <algorithm>

#include "views/sweep/sweep_panel.h"

namespace ts::views {
namespace {

using Percentile = double run::TimingSummary::*;
constexpr Percentile kP50 = &run::TimingSummary::median_ms;
constexpr Percentile kP90 = &run::TimingSummary::p90_ms;
constexpr Percentile kP99 = &run::TimingSummary::p99_ms;

// Negative if the point has none: a few steps give no information about one in a hundred.
double value_at(const sweep::Sweep& sweep, std::size_t index, Percentile which) {
  const sweep::SweepPoint& point = sweep.points()[index];
  return point.status == sweep::PointStatus::ok ? point.measurement.step.*which : -1;
}

PlotAxis y_axis_of(const SweepScene& scene, const Rect& plot) {
  double least = 0;
  double greatest = 0;
  for (std::size_t i = 0; i < scene.figure.sweep.points().size(); ++i) {
    for (const Percentile which : {kP50, kP90, kP99}) {
      const double value = value_at(scene.figure.sweep, i, which);
      if (!(value > 0)) continue;
      least = least > 0 ? std::min(least, value) : value;
      greatest = std::max(greatest, value);
    }
  }
  return axis_around(least, greatest, scene.figure.look.log_y.value_or(true), plot.y1, plot.y0);
}

}  // namespace

bool has_percentiles(const sweep::Sweep& sweep) {
  return std::ranges::any_of(sweep.points(), [](const auto& point) {
    return point.status == sweep::PointStatus::ok && point.measurement.step.p90_ms > 0;
  });
}

void draw_percentile_panel(DrawSink& sink, SweepScene& scene, const Rect& area) {
  const auto& t = scene.figure.texts;
  const std::string title = t("sweep.panel.percentiles");
  const std::string about = t("sweep.panel.percentiles_about");
  const PanelFrame frame = frame_panel(sink, scene, area, title, about, scene.px(40));
  const float title_end = area.x0 + scene.px(40) + sink.text_width(TextStyle::body_strong, title) +
                          sink.text_width(TextStyle::small, about);
  draw_series_names(sink, scene,
                    {title_end, area.y0, area.x1 - scene.px(kMenuRoom), area.y0 + scene.px(34)});
  const PlotAxis x = x_axis_of(scene, frame.plot);
  const PlotAxis y = y_axis_of(scene, frame.plot);
  draw_y_axis(sink, scene, frame, y, time_value_ticks(y, scene.px(26)));
  draw_x_axis(sink, scene, frame, x);
  for (const sweep::SweepCurve& curve : scene.analysis.curves) {
    const SeriesStyle& look = style_of(scene, curve);
    for (const Percentile which : {kP50, kP90, kP99}) {
      std::optional<Point> before;
      for (const std::size_t index : curve.points) {
        const double value = value_at(scene.figure.sweep, index, which);
        if (!(value > 0)) continue;
        const Point at{x.position(static_cast<double>(scene.figure.sweep.points()[index].at[0])),
                       y.position(value)};
        if (before && which == kP50) sink.line(*before, at, look.color, scene.px(1.6F));
        if (before && which == kP90) {
          dashed_line(sink, *before, at, look.color, scene.px(1.2F), scene.px(5), scene.px(3));
        }
        if (before && which == kP99) {
          dashed_line(sink, *before, at, look.color, scene.px(1.2F), scene.px(1.5F), scene.px(3));
        }
        before = at;
        if (which == kP50) draw_mark(sink, look, at, scene.px(3.5F));
        scene.spots.push_back({index, at});
      }
    }
  }
}

}  // namespace ts::views
