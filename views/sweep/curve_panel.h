#pragma once

#include <optional>
#include <string>
#include <vector>

#include "views/sweep/label_space.h"
#include "views/sweep/sweep_panel.h"

namespace ts::views {

// Draws one panel of curves: curve_panel.cpp has the curves, curve_marks.cpp the marks on them,
// curve_theory.cpp the predictions and the limits of the device.
class Curves {
 public:
  Curves(DrawSink& sink, SweepScene& scene, const Rect& area, const CurvePanel& panel);
  void draw();

 private:
  struct EndLabel {
    Point end;    // of the curve
    float y = 0;  // of its name at the right of the plot
    Color color = 0;
    std::string name, remark;
  };
  void set_axes();
  void draw_curve(const sweep::SweepCurve& curve);
  void draw_predicted(const sweep::SweepCurve& curve);
  void dash_through(const std::vector<Point>& line, Color color);
  [[nodiscard]] double predicted_at(std::size_t point) const;  // NaN: not known
  // The end of the predicted curve, if it is visible.
  [[nodiscard]] std::optional<Point> predicted_end(const sweep::SweepCurve& curve) const;
  void draw_fit(const sweep::SweepCurve& curve);
  void draw_labels();
  void add_label(const sweep::SweepCurve& curve, Point end);
  void take_mark(Point at, float radius);
  void name_inside(const EndLabel& label);

  void draw_theory();
  void draw_bound(const sweep::SweepCurve& curve, double sweep::PointTheory::*ms);
  void draw_bound_names();
  [[nodiscard]] float dash_of(bool compute) const;

  void draw_limit();
  void draw_limit_name();
  void draw_guides();
  void draw_guide_names();
  void draw_lanes();
  void draw_crossovers();
  void draw_crossover_names();
  void draw_references();
  void draw_residuals();
  void draw_saturations();

  [[nodiscard]] const SeriesStyle& style(const sweep::SweepCurve& curve) const {
    return style_of(scene_, curve);
  }
  [[nodiscard]] const sweep::SweepPoint& point_at(std::size_t index) const {
    return scene_.figure.sweep.points()[index];
  }
  [[nodiscard]] bool of_memory() const { return panel_.measure == sweep::Measure::peak_allocated; }
  [[nodiscard]] bool of_time() const { return panel_.measure == sweep::Measure::step_ms; }
  [[nodiscard]] bool of_rate() const { return !of_memory() && !of_time(); }
  [[nodiscard]] const sweep::CurveFit* fit_of(const sweep::SweepCurve& curve) const;
  [[nodiscard]] std::string remark_of(const sweep::SweepCurve& curve) const;
  [[nodiscard]] float width_of(const sweep::SweepCurve& curve) const;
  [[nodiscard]] float lane_height() const;
  [[nodiscard]] std::size_t lane_count() const;
  [[nodiscard]] bool has_oom(std::size_t series) const;
  [[nodiscard]] Point place(std::size_t point, double value) const;
  // The plot without the lanes above it and the residuals below.
  [[nodiscard]] Rect inside() const {
    return {frame_.plot.x0, frame_.plot.y0 + lanes_, frame_.plot.x1, frame_.plot.y1 - residuals_};
  }

  DrawSink& sink_;
  SweepScene& scene_;
  const CurvePanel& panel_;
  PanelFrame frame_;
  PlotAxis x_, y_;
  float label_width_ = 0;
  float lanes_ = 0;
  float residuals_ = 0;  // height of the strip below
  bool any_ = false;
  std::int64_t limit_ = -1;
  std::string limit_source_;
  std::vector<EndLabel> labels_;
  std::vector<std::vector<double>> bounds_;  // the drawn ones: series often share one
  LabelSpace space_;                         // the room of drawn items and text

  struct GuideName {
    Point at;
    std::string words;
  };
  std::vector<GuideName> guide_names_;
  struct BoundName {
    std::string words;
    bool compute = false;
  };
  std::vector<BoundName> bound_names_;
};

}  // namespace ts::views
