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
  std::vector<Point> line;
  const Color color = style(curve).color;
  sink_.push_clip(inside());
  for (const std::size_t index : curve.points) {
    const double value = predicted_at(index);
    if (!std::isfinite(value)) continue;
    const Point at = place(index, value);
    line.push_back(at);
    if (point_at(index).status == PointStatus::ok || !y_.shows(value)) continue;
    const float radius = scene_.px(3.5F);
    sink_.outline({at.x - radius, at.y - radius, at.x + radius, at.y + radius}, color,
                  scene_.px(1.2F), radius);
    scene_.spots.push_back({index, at});
  }
  dashed_path(sink_, line, color, scene_.px(1.4F), scene_.px(4), scene_.px(3));
  sink_.pop_clip();
  const bool measured =
      std::any_of(curve.points.begin(), curve.points.end(),
                  [&](std::size_t index) { return point_at(index).status == PointStatus::ok; });
  if (!line.empty() && !measured) {
    labels_.push_back({line.back().y - scene_.px(14), color, curve.label, remark_of(curve)});
  }
}

// Two faint lines for every series, each drawn once where series share it: the time its FLOPs take
// at the device's peak, dotted, and its traffic at the bandwidth, in long dashes.
void Curves::draw_theory() {
  sink_.push_clip(inside());
  for (const auto& curve : scene_.analysis.curves) {
    draw_bound(curve, &run::PointTheory::compute_ms);
    draw_bound(curve, &run::PointTheory::memory_ms);
  }
  draw_bound_names();
  sink_.pop_clip();
}

// FLOPs are dotted, traffic is dashed.
float Curves::dash_of(bool compute) const {
  return scene_.px(compute ? 1.5F : 6);
}

void Curves::draw_bound(const run::SweepCurve& curve, double run::PointTheory::*ms) {
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
  dashed_path(sink_, line, color, scene_.px(1.2F), dash_of(compute), scene_.px(3));
  const double rate = compute ? some->roofs.tflops * 1e12 : some->roofs.gb_s * 1e9;
  const std::string name =
      scene_.figure.texts(compute ? "sweep.theory.compute" : "sweep.theory.memory",
                          {{"rate", text::rate(rate, compute ? "FLOP" : "B").joined()}});
  const auto same = [&](const BoundName& other) { return other.words == name; };
  if (std::none_of(bound_names_.begin(), bound_names_.end(), same))
    bound_names_.push_back({name, compute});
}

// What the lines are, once for all series of the same rate, in the corner under the curves.
void Curves::draw_bound_names() {
  const float row = sink_.text_height(TextStyle::small) + scene_.px(2);
  const float sample = scene_.px(22);
  const auto rows =
      std::min(bound_names_.size(), static_cast<std::size_t>(inside().height() * 0.4F / row));
  float wide = 0;
  for (std::size_t i = 0; i < rows; ++i)
    wide = std::max(wide, sink_.text_width(TextStyle::small, bound_names_[i].words));
  if (wide + sample + scene_.px(16) > inside().width()) return;
  const float x1 = inside().x1 - scene_.px(6);
  const float x0 = x1 - wide;
  float y = inside().y1 - scene_.px(5) - row * static_cast<float>(rows);
  const Color color = scene_.theme().text3;
  const Rect plate{x0 - sample - scene_.px(4), y, inside().x1, inside().y1 - scene_.px(5)};
  sink_.fill(plate, with_alpha(scene_.theme().bg, 0.8F));
  if (rows > 0) names_.push_back(plate);
  for (std::size_t i = 0; i < rows; ++i, y += row) {
    const float middle = std::round(y + row / 2);
    dashed_line(sink_, {x0 - sample, middle}, {x0 - scene_.px(6), middle}, color, scene_.px(1.2F),
                dash_of(bound_names_[i].compute), scene_.px(3));
    sink_.text({x0, y}, TextStyle::small, color, bound_names_[i].words);
  }
}

}  // namespace ts::views
