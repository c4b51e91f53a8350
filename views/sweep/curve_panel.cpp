#include "views/sweep/curve_panel.h"

#include <algorithm>
#include <cmath>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/sweep/beaten_marks.h"

namespace ts::views {
namespace {

using sweep::Measure;
using sweep::PointStatus;

// Moves labels apart, in order, so that none covers another.
template <class Labels>
void spread(Labels& labels, float height, const Rect& area) {
  std::ranges::sort(labels, [](const auto& a, const auto& b) { return a.y < b.y; });
  float least = area.y0;
  for (auto& label : labels) {
    label.y = std::max(label.y, least);
    least = label.y + height;
  }
  float most = area.y1 - height;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    label->y = std::min(label->y, most);
    most = label->y - height;
  }
}

struct Extent {
  double least = 0;
  double greatest = 0;
  bool any = false;
  void add(double value) {
    if (!std::isfinite(value) || value <= 0) return;
    least = any ? std::min(least, value) : value;
    greatest = any ? std::max(greatest, value) : value;
    any = true;
  }
};

// The limit of the allocator in bytes; -1 if points differ or none is known.
std::int64_t common_limit(const sweep::Sweep& sweep, std::string& source) {
  std::int64_t limit = -1;
  for (const sweep::SweepPoint& point : sweep.points()) {
    const bool measured = point.measurement.limit > 0;
    const std::int64_t one = measured ? point.measurement.limit : point.prediction.capacity;
    if (one <= 0) continue;
    // Free RAM changes from run to run; a limit that was set does not.
    if (limit > 0 && std::abs(one - limit) > limit / 20) return -1;
    limit = limit > 0 ? std::min(limit, one) : one;
    source = measured ? point.measurement.limit_source : point.prediction.target;
  }
  return limit;
}

}  // namespace

Curves::Curves(DrawSink& sink, SweepScene& scene, const Rect& area, const CurvePanel& panel)
    : sink_(sink), scene_(scene), panel_(panel) {
  const auto& t = scene.figure.texts;
  for (const auto& curve : scene.analysis.curves)
    label_width_ = std::max(label_width_, width_of(curve));
  frame_ = frame_panel(sink, scene, area, t(panel.title), t(panel.subtitle),
                       std::min(label_width_, area.width() * 0.34F));
  lanes_ = lane_height() * static_cast<float>(lane_count());
  x_ = x_axis_of(scene, frame_.plot);
  if (!panel.lines && frame_.plot.height() > scene.px(180) && !scene.analysis.fits.empty()) {
    residuals_ = std::round(frame_.plot.height() * 0.24F);
  }
  set_axes();
}

void Curves::set_axes() {
  const sweep::Sweep& sweep = scene_.figure.sweep;
  Extent extent;
  Extent predicted;
  for (std::size_t i = 0; i < sweep.points().size(); ++i) {
    const auto value = sweep::value_of(sweep, i, panel_.measure);
    extent.add(value.low);
    extent.add(value.high);
    if (panel_.lines) predicted.add(predicted_at(i));
  }
  any_ = extent.any || predicted.any;
  if (of_memory()) limit_ = common_limit(sweep, limit_source_);
  const double greatest = std::max(extent.greatest, predicted.greatest);
  // A limit far above all values would leave no room for the curves, and so would values far above
  // the limit.
  constexpr double kFarAbove = 64;
  constexpr double kSeenBeyond = 8;
  const bool oom = sweep.count(PointStatus::oom) > 0;
  if (limit_ > 0 && !oom && static_cast<double>(limit_) > kFarAbove * greatest) limit_ = -1;
  if (limit_ > 0) extent.add(static_cast<double>(limit_));
  const double most = limit_ > 0 ? kSeenBeyond * static_cast<double>(limit_) : greatest;
  extent.add(std::min(predicted.least, most));
  extent.add(std::min(predicted.greatest, most));
  if (of_time() && panel_.lines) {
    // The bound of the device may lie far below the measured values.
    constexpr double kSeenBelow = 30;
    const double lowest = extent.any ? extent.least / kSeenBelow : 0;
    for (const auto& theory : scene_.analysis.theories) {
      if (!theory) continue;
      for (const double ms : {theory->compute_ms, theory->memory_ms}) {
        if (ms >= lowest && (!extent.any || ms <= extent.greatest)) extent.add(ms);
      }
    }
  }
  if (of_time()) {
    for (const sweep::ReferenceSeries& series : scene_.analysis.references) {
      for (const auto& [at, ms] : series.step_ms) {
        if (x_.shows(static_cast<double>(at))) extent.add(ms);
      }
    }
  }
  const bool log = scene_.figure.look.log_y.value_or(panel_.log);
  y_ = axis_around(extent.least, extent.greatest, log, inside().y1, inside().y0);
}

void Curves::draw() {
  const float apart = scene_.px(26);
  Ticks ticks = of_time()     ? time_value_ticks(y_, apart)
                : of_memory() ? byte_value_ticks(y_, apart)
                              : number_ticks(y_, scene_.px(40));
  if (panel_.measure == Measure::tokens_per_s) ticks.unit = "tokens/s";
  if (panel_.measure == Measure::samples_per_s) ticks.unit = "samples/s";
  if (any_) draw_y_axis(sink_, scene_, frame_, y_, ticks);
  draw_x_axis(sink_, scene_, frame_, x_);
  if (of_time() && panel_.lines) draw_beaten_note(sink_, scene_, frame_, ticks.unit);
  if (!any_ && scene_.figure.sweep.count(PointStatus::oom) == 0) {
    text_in(sink_, {frame_.plot.x0 + scene_.px(12), frame_.plot.y0, frame_.plot.x1, frame_.plot.y1},
            TextStyle::body, scene_.theme().text3, scene_.figure.texts("sweep.nothing_yet"));
    return;
  }
  // Lines and marks first, then text in the free room.
  draw_limit();
  if (!panel_.lines) draw_guides();
  if (of_time() && panel_.lines) draw_theory();
  if (!of_rate() && panel_.lines) {
    for (const auto& curve : scene_.analysis.curves) draw_predicted(curve);
  }
  if (of_time() && panel_.lines) draw_references();
  for (const auto& curve : scene_.analysis.curves) draw_curve(curve);
  if (residuals_ > 0) draw_residuals();
  const bool crossed = panel_.lines && panel_.log;
  if (crossed) draw_crossovers();
  draw_lanes();
  draw_labels();
  draw_limit_name();
  draw_guide_names();
  draw_bound_names();
  if (crossed) draw_crossover_names();
  draw_saturations();
}

const sweep::CurveFit* Curves::fit_of(const sweep::SweepCurve& curve) const {
  const sweep::CurveFit* predicted = nullptr;
  for (const sweep::CurveFit& fit : scene_.analysis.fits) {
    // A power law goes through any two points: that is no finding.
    if (fit.curve.points != curve.points || !fit.fit.ci95) continue;
    if (fit.measure == panel_.measure) return &fit;
    if (of_memory() && fit.measure == Measure::peak_predicted) predicted = &fit;
  }
  return predicted;
}

std::string Curves::remark_of(const sweep::SweepCurve& curve) const {
  const sweep::CurveFit* fit = fit_of(curve);
  return fit == nullptr ? std::string() : slope_text(scene_.axis_name(), fit->fit, !panel_.lines);
}

float Curves::width_of(const sweep::SweepCurve& curve) const {
  return std::max(sink_.text_width(TextStyle::small, curve.label),
                  sink_.text_width(TextStyle::small, remark_of(curve))) +
         scene_.px(14);
}

float Curves::lane_height() const {
  return std::round(scene_.px(14));
}

// One lane above the plot for each series with points that ran out of memory.
std::size_t Curves::lane_count() const {
  std::size_t lanes = 0;
  for (std::size_t s = 0; s < scene_.styles.size(); ++s) lanes += has_oom(s) ? 1 : 0;
  return of_rate() ? 0 : lanes;
}

bool Curves::has_oom(std::size_t series) const {
  const auto points = scene_.figure.sweep.points();
  return std::ranges::any_of(points, [&](const sweep::SweepPoint& point) {
    return point.series == series && point.status == PointStatus::oom;
  });
}

Point Curves::place(std::size_t point, double value) const {
  return {x_.position(static_cast<double>(point_at(point).at[0])), y_.position(value)};
}

void Curves::draw_curve(const sweep::SweepCurve& curve) {
  std::vector<Point> line;
  const SeriesStyle& look = style(curve);
  for (const std::size_t point : curve.points) {
    const auto value = sweep::value_of(scene_.figure.sweep, point, panel_.measure);
    if (!std::isfinite(value.y)) continue;
    line.push_back(place(point, value.y));
  }
  if (panel_.lines && line.size() > 1) {
    sink_.polyline(line, look.color, scene_.px(1.6F));
    space_.take(line);
  }
  if (!panel_.lines) draw_fit(curve);
  for (const std::size_t point : curve.points) {
    const auto value = sweep::value_of(scene_.figure.sweep, point, panel_.measure);
    if (!std::isfinite(value.y)) continue;
    const Point at = place(point, value.y);
    if (value.high > value.low) {
      const float top = y_.position(value.high);
      const float bottom = y_.position(value.low);
      const float cap = scene_.px(3);
      draw_error_bar(sink_, {at.x, bottom}, {at.x, top}, cap, look.color, scene_.px(1.2F));
      space_.take(Rect{at.x - cap, top, at.x + cap, bottom});
    }
    draw_mark(sink_, look, at, scene_.px(4));
    take_mark(at, scene_.px(4));
    if (of_time() && panel_.lines) ring_if_beaten(sink_, scene_, space_, point, at);
    scene_.spots.push_back({point, at});
  }
  if (line.empty()) return;
  // If a predicted curve goes further, the series ends there.
  const auto further = predicted_end(curve);
  add_label(curve, further && further->x > line.back().x ? *further : line.back());
}

void Curves::add_label(const sweep::SweepCurve& curve, Point end) {
  const Color color = readable(style(curve).color, scene_.theme().bg);
  labels_.push_back({.end = end,
                     .y = end.y - scene_.px(14),
                     .color = color,
                     .name = curve.label,
                     .remark = remark_of(curve)});
}

void Curves::take_mark(Point at, float radius) {
  space_.take(Rect{at.x - radius, at.y - radius, at.x + radius, at.y + radius});
}

void Curves::draw_fit(const sweep::SweepCurve& curve) {
  const sweep::CurveFit* fit = fit_of(curve);
  if (fit == nullptr) return;
  sink_.push_clip(inside());
  const auto path = curve_along(x_, y_, [fit](double x) { return fit->fit.at(x); });
  dashed_path(sink_, path, style(curve).color, scene_.px(1.4F), scene_.px(4), scene_.px(3));
  space_.take(path);
  sink_.pop_clip();
}

// Names a curve beside its end within the plot.
void Curves::name_inside(const EndLabel& label) {
  const auto small = TextStyle::small;
  const std::string remark = of_rate() ? std::string() : label.remark;
  const float name = sink_.text_width(small, label.name);
  const float gap = remark.empty() ? 0 : scene_.px(6);
  const float width = name + gap + sink_.text_width(small, remark);
  const Rect at = space_.beside(label.end, width, sink_.text_height(small), scene_.px(7), inside());
  sink_.text({at.x0, at.y0}, small, label.color, label.name);
  if (!remark.empty()) sink_.text({at.x0 + name + gap, at.y0}, small, scene_.theme().text2, remark);
}

void Curves::draw_labels() {
  // Most curves end at the right edge and are named there.
  const auto early =
      std::stable_partition(labels_.begin(), labels_.end(), [this](const EndLabel& label) {
        return panel_.lines == false || frame_.plot.x1 - label.end.x <= scene_.px(60);
      });
  std::for_each(early, labels_.end(), [this](const EndLabel& label) { name_inside(label); });
  labels_.erase(early, labels_.end());
  if (frame_.labels.width() < scene_.px(30)) return;
  const bool remarks = !of_rate();
  const float height = sink_.text_height(TextStyle::small) * (remarks ? 2.0F : 1.0F) + scene_.px(4);
  spread(labels_, height, frame_.labels);
  for (const EndLabel& label : labels_) {
    const float line = sink_.text_height(TextStyle::small) + scene_.px(1);
    Rect box{frame_.labels.x0 + scene_.px(8), label.y, frame_.labels.x1, label.y + line};
    text_in(sink_, box, TextStyle::small, label.color, label.name);
    box.y0 += line;
    box.y1 += line;
    if (remarks) text_in(sink_, box, TextStyle::small, scene_.theme().text2, label.remark);
  }
}

void draw_curve_panel(DrawSink& sink, SweepScene& scene, const Rect& area,
                      const CurvePanel& panel) {
  Curves(sink, scene, area, panel).draw();
}

}  // namespace ts::views
