// The predictions for the points of a panel, and the limits of the device: both beside the measured
// values, never in one curve with them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/sweep/curve_panel.h"

namespace ts::views {

using sweep::Measure;
using sweep::PointStatus;

double Curves::predicted_at(std::size_t point) const {
  if (of_memory()) return sweep::value_of(scene_.figure.sweep, point, Measure::peak_predicted).y;
  const double ms = of_time() ? scene_.analysis.estimated_step_ms[point] : -1;
  return ms > 0 ? ms : std::numeric_limits<double>::quiet_NaN();
}

// Dashed, hollow where nothing was measured. Memory is predicted independently at every point;
// times are estimated from measured ones, so their line starts there.
void Curves::draw_predicted(const sweep::SweepCurve& curve) {
  std::vector<Point> line;
  std::optional<Point> measured_before;
  const Color color = style(curve).color;
  sink_.push_clip(inside());
  for (const std::size_t index : curve.points) {
    const double value = predicted_at(index);
    if (of_time() && !std::isfinite(value)) {
      const double ms = sweep::value_of(scene_.figure.sweep, index, Measure::step_ms).y;
      if (!std::isfinite(ms)) continue;
      measured_before = place(index, ms);
      if (!line.empty()) line.push_back(*measured_before);
      dash_through(line, color);
      line.clear();
      continue;
    }
    if (!std::isfinite(value)) continue;
    const Point at = place(index, value);
    if (line.empty() && measured_before) line.push_back(*measured_before);
    line.push_back(at);
    if (point_at(index).status == PointStatus::ok || !y_.shows(value)) continue;
    const float radius = scene_.px(3.5F);
    take_mark(at, radius);
    sink_.outline({at.x - radius, at.y - radius, at.x + radius, at.y + radius}, color,
                  scene_.px(1.2F), radius);
    scene_.spots.push_back({index, at});
  }
  dash_through(line, color);
  sink_.pop_clip();
  const bool measured = std::ranges::any_of(
      curve.points, [&](std::size_t index) { return point_at(index).status == PointStatus::ok; });
  if (!line.empty() && !measured) add_label(curve, line.back());
}

void Curves::dash_through(const std::vector<Point>& line, Color color) {
  if (line.size() < 2) return;
  dashed_path(sink_, line, color, scene_.px(1.4F), scene_.px(4), scene_.px(3));
  space_.take(line);
}

std::optional<Point> Curves::predicted_end(const sweep::SweepCurve& curve) const {
  if (of_rate() || !panel_.lines) return std::nullopt;
  for (auto index = curve.points.rbegin(); index != curve.points.rend(); ++index) {
    const double value = predicted_at(*index);
    if (!std::isfinite(value)) continue;
    return y_.shows(value) ? std::optional(place(*index, value)) : std::nullopt;
  }
  return std::nullopt;
}

// Two faint lines for every series, each drawn once where series share it: the time its FLOPs take
// at the device's peak, dotted, and its traffic at the bandwidth, in long dashes.
void Curves::draw_theory() {
  sink_.push_clip(inside());
  for (const auto& curve : scene_.analysis.curves) {
    draw_bound(curve, &sweep::PointTheory::compute_ms);
    draw_bound(curve, &sweep::PointTheory::memory_ms);
  }
  sink_.pop_clip();
}

// FLOPs are dotted, traffic is dashed.
float Curves::dash_of(bool compute) const {
  return scene_.px(compute ? 1.5F : 6);
}

void Curves::draw_bound(const sweep::SweepCurve& curve, double sweep::PointTheory::*ms) {
  std::vector<double> values;
  std::vector<Point> line;
  const sweep::PointTheory* some = nullptr;
  for (const std::size_t index : curve.points) {
    const auto& theory = scene_.analysis.theories[index];
    values.push_back(theory ? (*theory).*ms : 0);
    if (values.back() <= 0) continue;
    some = &*theory;
    line.push_back(place(index, values.back()));
  }
  if (line.size() < 2 || std::ranges::find(bounds_, values) != bounds_.end()) return;
  bounds_.push_back(values);
  const Color color = mixed(scene_.theme().bg, style(curve).color, 0.6F);
  const bool compute = ms == &sweep::PointTheory::compute_ms;
  dashed_path(sink_, line, color, scene_.px(1.2F), dash_of(compute), scene_.px(3));
  space_.take(line);
  const double rate = compute ? some->roofs.tflops * 1e12 : some->roofs.gb_s * 1e9;
  const std::string name =
      scene_.figure.texts(compute ? "sweep.theory.compute" : "sweep.theory.memory",
                          {{"rate", text::rate(rate, compute ? "FLOP" : "B").joined()}});
  const auto same = [&](const BoundName& other) { return other.words == name; };
  if (std::ranges::none_of(bound_names_, same)) bound_names_.push_back({name, compute});
}

// The meaning of the lines, once for all series of the same rate, in a free corner.
void Curves::draw_bound_names() {
  const float row = sink_.text_height(TextStyle::small) + scene_.px(2);
  const float sample = scene_.px(22);
  const auto rows =
      std::min(bound_names_.size(), static_cast<std::size_t>(inside().height() * 0.4F / row));
  float wide = 0;
  for (std::size_t i = 0; i < rows; ++i)
    wide = std::max(wide, sink_.text_width(TextStyle::small, bound_names_[i].words));
  if (rows == 0 || wide + sample + scene_.px(16) > inside().width()) return;
  const float width = wide + sample + scene_.px(10);
  const float height = row * static_cast<float>(rows);
  std::vector<Rect> corners;
  for (const float top : {inside().y1 - scene_.px(5) - height, inside().y0 + scene_.px(2)}) {
    for (const float left :
         {inside().x1 - width, inside().x0 + scene_.px(4), (inside().x0 + inside().x1 - width) / 2})
      corners.push_back({left, top, left + width, top + height});
  }
  const Rect plate = space_.place(corners, inside());
  const float x0 = plate.x1 - scene_.px(6) - wide;
  float y = plate.y0;
  const Color color = scene_.theme().text3;
  sink_.fill(plate, with_alpha(scene_.theme().bg, 0.9F));
  for (std::size_t i = 0; i < rows; ++i, y += row) {
    const float middle = std::round(y + row / 2);
    dashed_line(sink_, {x0 - sample, middle}, {x0 - scene_.px(6), middle}, color, scene_.px(1.2F),
                dash_of(bound_names_[i].compute), scene_.px(3));
    sink_.text({x0, y}, TextStyle::small, color, bound_names_[i].words);
  }
}

}  // namespace ts::views
