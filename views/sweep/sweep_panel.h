#pragma once

#include <string>
#include <vector>

#include "views/charts/plot_panel.h"
#include "views/sweep/sweep_figure.h"

namespace ts::views {

// The data that all panels of one figure share in one frame.
struct SweepScene {
  const SweepFigure& figure;
  const SweepAnalysis& analysis;
  std::vector<SeriesStyle> styles;
  std::vector<SeriesStyle> looks;  // of the curves
  // The place of a drawn point, for the mouse.
  struct Spot {
    std::size_t point = 0;
    Point at;
  };
  std::vector<Spot> spots = {};

  [[nodiscard]] float px(float length) const { return figure.metrics.px(length); }
  [[nodiscard]] const Theme& theme() const { return figure.theme; }
  [[nodiscard]] std::string axis_name() const;
  [[nodiscard]] std::vector<double> axis_values() const;
};

// The parts of a panel: title above, unit and ticks at the left, axis below, labels at the right.
struct PanelFrame {
  Rect plot;
  Rect labels;
};
PanelFrame frame_panel(DrawSink& sink, const SweepScene& scene, const Rect& area,
                       const std::string& title, const std::string& subtitle, float label_width);
PlotPanel panel_of(DrawSink& sink, const SweepScene& scene, const PanelFrame& frame);
void draw_x_axis(DrawSink& sink, const SweepScene& scene, const PanelFrame& frame,
                 const PlotAxis& x);
// Draws at the right end of the x axis.
void draw_axis_name(DrawSink& sink, const SweepScene& scene, const PanelFrame& frame);
void draw_y_axis(DrawSink& sink, const SweepScene& scene, const PanelFrame& frame,
                 const PlotAxis& y, const Ticks& ticks);
PlotAxis x_axis_of(const SweepScene& scene, const Rect& plot);
const SeriesStyle& style_of(const SweepScene& scene, const sweep::SweepCurve& curve);

// A curve per series: step time, peak memory or throughput over the first axis.
struct CurvePanel {
  sweep::Measure measure = sweep::Measure::step_ms;
  const char* title = nullptr;  // keys
  const char* subtitle = nullptr;
  bool log = true;
  bool lines = true;  // through the points; if false, the fits are drawn
};
void draw_curve_panel(DrawSink& sink, SweepScene& scene, const Rect& area, const CurvePanel& panel);

// The speed-up of a point over the first series at the same place, with the interval that the two
// intervals allow.
struct SpeedUp {
  std::size_t point = 0;
  std::size_t series = 0;
  double value = 0, low = 0, high = 0;
};
std::vector<SpeedUp> speed_ups_at(const sweep::Sweep& sweep, std::size_t place);

// Bars: the speed-up over the first series, at each value of the first axis.
void draw_speed_up_panel(DrawSink& sink, SweepScene& scene, const Rect& area);

// The limits of the device: FLOP per byte against TFLOP/s, its roofs, and every measured point.
bool has_roofline(const SweepAnalysis& analysis);
void draw_roofline_panel(DrawSink& sink, SweepScene& scene, const Rect& area);

// P50, P90 and P99 of the steps over the first axis.
bool has_percentiles(const sweep::Sweep& sweep);
void draw_percentile_panel(DrawSink& sink, SweepScene& scene, const Rect& area);

// Columns: the shares of forward, backward and optimizer in the steps of every point.
bool has_parts(const sweep::Sweep& sweep);
void draw_parts_panel(DrawSink& sink, SweepScene& scene, const Rect& area);

// The room at the right end of a panel's title for the button of its menu, at scale 1.
inline constexpr float kMenuRoom = 36;

// Draws marks and names of the series, right-aligned in the row; leaves out those that do not fit.
void draw_series_names(DrawSink& sink, const SweepScene& scene, const Rect& row);

// The findings from the curves, as sentences.
[[nodiscard]] float findings_height(const DrawSink& sink, const SweepScene& scene);
void draw_findings_panel(DrawSink& sink, const SweepScene& scene, const Rect& area);

}  // namespace ts::views
