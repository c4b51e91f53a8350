// What was predicted for the points of a panel, and what the device allows: both beside what was
// measured, never in one curve with it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/sweep/curve_panel.h"

namespace ts::views {

using run::Measure;
using run::PointStatus;

double Curves::predicted_at(std::size_t point) const {
  if (of_memory()) return run::value_of(scene_.figure.sweep, point, Measure::peak_predicted).y;
  const double ms = of_time() ? scene_.analysis.predicted_step_ms[point] : -1;
  return ms > 0 ? ms : std::numeric_limits<double>::quiet_NaN();
}

// Dashed through every predicted point, hollow where nothing was measured.
void Curves::draw_predicted(const run::SweepCurve& curve) {
  std::optional<Point> before;
  const Color color = style(curve).color;
  sink_.push_clip(inside());
  for (const std::size_t index : curve.points) {
    const double value = predicted_at(index);
    if (!std::isfinite(value)) continue;
    const Point at = place(index, value);
    if (before) {
      dashed_line(sink_, *before, at, color, scene_.px(1.4F), scene_.px(4), scene_.px(3));
    }
    before = at;
    if (point_at(index).status == PointStatus::ok || !y_.shows(value)) continue;
    const float radius = scene_.px(3.5F);
    sink_.outline({at.x - radius, at.y - radius, at.x + radius, at.y + radius}, color,
                  scene_.px(1.2F), radius);
    scene_.spots.push_back({index, at});
  }
  sink_.pop_clip();
  const bool measured =
      std::any_of(curve.points.begin(), curve.points.end(),
                  [&](std::size_t index) { return point_at(index).status == PointStatus::ok; });
  if (before && !measured) {
    labels_.push_back({before->y - scene_.px(14), color, curve.label, remark_of(curve)});
  }
}

// Two faint dotted lines for every series, each drawn once where series share it: the time its
// FLOPs take at the device's peak, and its traffic at the bandwidth.
void Curves::draw_theory() {
  sink_.push_clip(inside());
  for (const auto& curve : scene_.analysis.curves) {
    draw_bound(curve, &run::PointTheory::compute_ms, "sweep.theory.compute");
    draw_bound(curve, &run::PointTheory::memory_ms, "sweep.theory.memory");
  }
  sink_.pop_clip();
}

// How many curves have that very bound.
std::size_t Curves::sharing_bound(const std::vector<double>& values,
                                  double run::PointTheory::*ms) const {
  const auto& curves = scene_.analysis.curves;
  return static_cast<std::size_t>(
      std::count_if(curves.begin(), curves.end(), [&](const run::SweepCurve& curve) {
        for (std::size_t i = 0; i < curve.points.size(); ++i) {
          const auto& theory = scene_.analysis.theories[curve.points[i]];
          if ((theory ? (*theory).*ms : 0) != values[i]) return false;
        }
        return true;
      }));
}

void Curves::draw_bound(const run::SweepCurve& curve, double run::PointTheory::*ms,
                        const char* words) {
  std::vector<double> values;
  std::vector<Point> line;
  const run::PointTheory* some = nullptr;
  for (const std::size_t index : curve.points) {
    const auto& theory = scene_.analysis.theories[index];
    values.push_back(theory ? (*theory).*ms : 0);
    if (values.back() <= 0) continue;
    some = &*theory;
    line.push_back(place(index, values.back()));
  }
  if (line.size() < 2 || std::find(bounds_.begin(), bounds_.end(), values) != bounds_.end()) return;
  bounds_.push_back(values);
  const Color color = mixed(scene_.theme().bg, style(curve).color, 0.6F);
  const bool compute = ms == &run::PointTheory::compute_ms;
  for (std::size_t i = 1; i < line.size(); ++i) {
    dashed_line(sink_, line[i - 1], line[i], color, scene_.px(1.2F), scene_.px(compute ? 1.5F : 6),
                scene_.px(3));
  }
  const double rate = compute ? some->roofs.tflops * 1e12 : some->roofs.gb_s * 1e9;
  std::string label =
      scene_.figure.texts(words, {{"rate", text::rate(rate, compute ? "FLOP" : "B").joined()}});
  if (sharing_bound(values, ms) < scene_.analysis.curves.size()) label = curve.label + ": " + label;
  // Under the left end: the lines rise, and what was measured lies above them. Each has a row of
  // its own.
  const float row = sink_.text_height(TextStyle::small) + scene_.px(1);
  float top = line.front().y + scene_.px(3);
  const auto covers = [&](float other) { return std::abs(other - top) < row; };
  while (std::any_of(bound_rows_.begin(), bound_rows_.end(), covers)) top += scene_.px(2);
  // No room below: above the line.
  if (top + row > inside().y1) {
    top = line.front().y - row - scene_.px(3);
    while (std::any_of(bound_rows_.begin(), bound_rows_.end(), covers)) top -= scene_.px(2);
  }
  bound_rows_.push_back(top);
  sink_.text({line.front().x + scene_.px(10), top}, TextStyle::small, color, label);
}

}  // namespace ts::views
