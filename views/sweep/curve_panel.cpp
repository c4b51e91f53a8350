#include "views/sweep/sweep_panel.h"

#include <algorithm>
#include <cmath>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"

namespace ts::views {
namespace {

using run::Measure;
using run::PointStatus;

struct EndLabel {
  float y = 0;
  Color color = 0;
  std::string name, remark;
};

// Pushed apart, in order, so that none covers another.
void spread(std::vector<EndLabel>& labels, float height, const Rect& area) {
  std::sort(labels.begin(), labels.end(),
            [](const EndLabel& a, const EndLabel& b) { return a.y < b.y; });
  float least = area.y0;
  for (EndLabel& label : labels) {
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

// Bytes the allocator might hold; -1 where points differ or none is known.
std::int64_t common_limit(const run::Sweep& sweep, std::string& source) {
  std::int64_t limit = -1;
  for (const run::SweepPoint& point : sweep.points()) {
    const std::int64_t one = point.measurement.limit;
    if (one <= 0) continue;
    // What RAM is free changes from run to run; a limit that was set does not.
    if (limit > 0 && std::abs(one - limit) > limit / 20) return -1;
    limit = limit > 0 ? std::min(limit, one) : one;
    source = point.measurement.limit_source;
  }
  return limit;
}

class Curves {
 public:
  Curves(DrawSink& sink, SweepScene& scene, const Rect& area, const CurvePanel& panel)
      : sink_(sink), scene_(scene), panel_(panel) {
    const auto& t = scene.figure.texts;
    for (const auto& curve : scene.curves) label_width_ = std::max(label_width_, width_of(curve));
    frame_ = frame_panel(sink, scene, area, t(panel.title), t(panel.subtitle),
                         std::min(label_width_, area.width() * 0.34F));
    lanes_ = lane_height() * static_cast<float>(lane_count());
    const Rect& plot = frame_.plot;
    x_ = x_axis_of(scene, plot);
    Extent extent;
    for (std::size_t i = 0; i < scene.figure.sweep.points().size(); ++i) {
      const auto value = run::value_of(scene.figure.sweep, i, panel.measure);
      extent.add(value.low);
      extent.add(value.high);
    }
    any_ = extent.any;
    limit_ = panel.measure == Measure::peak_allocated
                 ? common_limit(scene.figure.sweep, limit_source_)
                 : -1;
    // A limit far above everything would leave no room for the curves.
    constexpr double kFarAbove = 64;
    const bool oom = scene.figure.sweep.count(PointStatus::oom) > 0;
    if (limit_ > 0 && !oom && static_cast<double>(limit_) > kFarAbove * extent.greatest)
      limit_ = -1;
    if (limit_ > 0) extent.add(static_cast<double>(limit_));
    y_ = axis_around(extent.least, extent.greatest, panel.log, plot.y1, plot.y0 + lanes_);
  }

  void draw() {
    const float apart = scene_.px(26);
    const Ticks ticks = panel_.measure == Measure::step_ms ? time_value_ticks(y_, apart)
                        : panel_.measure == Measure::peak_allocated
                            ? byte_value_ticks(y_, apart)
                            : number_ticks(y_, scene_.px(40));
    Ticks named = ticks;
    if (panel_.measure == Measure::tokens_per_s) named.unit = "tokens/s";
    if (any_) draw_y_axis(sink_, scene_, frame_, y_, named);
    draw_x_axis(sink_, scene_, frame_, x_);
    if (!any_ && scene_.figure.sweep.count(PointStatus::oom) == 0) {
      text_in(sink_,
              {frame_.plot.x0 + scene_.px(12), frame_.plot.y0, frame_.plot.x1, frame_.plot.y1},
              TextStyle::body, scene_.theme().text3, scene_.figure.texts("sweep.nothing_yet"));
      return;
    }
    draw_limit();
    if (!panel_.lines) draw_guides();
    for (const auto& curve : scene_.curves) draw_curve(curve);
    draw_lanes();
    if (panel_.lines && panel_.log) draw_crossovers();
    draw_saturations();
    draw_labels();
  }

 private:
  [[nodiscard]] const SeriesStyle& style(const run::SweepCurve& curve) const {
    return scene_.styles[curve.series];
  }
  [[nodiscard]] const run::CurveFit* fit_of(const run::SweepCurve& curve) const {
    for (const run::CurveFit& fit : scene_.fits) {
      if (fit.measure == panel_.measure && fit.curve.points == curve.points) return &fit;
    }
    return nullptr;
  }
  [[nodiscard]] std::string remark_of(const run::SweepCurve& curve) const {
    const run::CurveFit* fit = fit_of(curve);
    return fit == nullptr ? std::string()
                          : slope_words(scene_.axis_name(), fit->fit, !panel_.lines);
  }
  [[nodiscard]] float width_of(const run::SweepCurve& curve) const {
    return std::max(sink_.text_width(TextStyle::small, curve.label),
                    sink_.text_width(TextStyle::small, remark_of(curve))) +
           scene_.px(14);
  }
  [[nodiscard]] float lane_height() const { return std::round(scene_.px(14)); }
  // One lane above the plot for each series with points that ran out of memory.
  [[nodiscard]] std::size_t lane_count() const {
    std::size_t lanes = 0;
    for (std::size_t s = 0; s < scene_.styles.size(); ++s) lanes += has_oom(s) ? 1 : 0;
    return panel_.measure == Measure::tokens_per_s ? 0 : lanes;
  }
  [[nodiscard]] bool has_oom(std::size_t series) const {
    const auto points = scene_.figure.sweep.points();
    return std::any_of(points.begin(), points.end(), [&](const run::SweepPoint& point) {
      return point.series == series && point.status == PointStatus::oom;
    });
  }
  [[nodiscard]] Point place(std::size_t point, double value) const {
    return {x_.position(static_cast<double>(scene_.figure.sweep.points()[point].at[0])),
            y_.position(value)};
  }

  void draw_limit() {
    if (limit_ <= 0) return;
    const float y = std::round(y_.position(static_cast<double>(limit_)));
    sink_.fill({frame_.plot.x0, y - scene_.px(1), frame_.plot.x1, y + scene_.px(1)},
               scene_.theme().bad);
    const std::string words = limit_source_ + "  " + text::bytes(limit_).joined();
    text_right(sink_, {frame_.plot.x0, y + scene_.px(2), frame_.plot.x1, y + scene_.px(18)},
               TextStyle::small, scene_.theme().bad, words);
  }

  // Slopes 1 and 2 through the middle of what was measured, for the eye.
  void draw_guides() {
    const double x0 = x_.low;
    const double x1 = x_.high;
    const double middle_x = std::sqrt(x0 * x1);
    if (!x_.log || !(middle_x > 0)) return;
    const double middle_y = std::sqrt(y_.low * y_.high);
    sink_.push_clip({frame_.plot.x0, frame_.plot.y0 + lanes_, frame_.plot.x1, frame_.plot.y1});
    for (const int slope : {1, 2}) {
      const auto at = [&](double x) {
        return Point{x_.position(x), y_.position(middle_y * std::pow(x / middle_x, slope))};
      };
      dashed_line(sink_, at(x0), at(x1), scene_.theme().text3, scene_.px(1.2F), scene_.px(1.5F),
                  scene_.px(4));
      const Point label = at(std::pow(x0, 0.05) * std::pow(x1, 0.95));
      sink_.text({label.x - scene_.px(12), label.y + scene_.px(8)}, TextStyle::small,
                 scene_.theme().text3,
                 "O(" + scene_.axis_name() + (slope == 1 ? ")" : "\xc2\xb2)"));
    }
    sink_.pop_clip();
  }

  void draw_curve(const run::SweepCurve& curve) {
    std::vector<Point> line;
    const SeriesStyle& look = style(curve);
    for (const std::size_t point : curve.points) {
      const auto value = run::value_of(scene_.figure.sweep, point, panel_.measure);
      if (!std::isfinite(value.y)) continue;
      line.push_back(place(point, value.y));
    }
    if (panel_.lines && line.size() > 1) sink_.polyline(line, look.color, scene_.px(1.6F));
    if (!panel_.lines) draw_fit(curve);
    for (const std::size_t point : curve.points) {
      const auto value = run::value_of(scene_.figure.sweep, point, panel_.measure);
      if (!std::isfinite(value.y)) continue;
      const Point at = place(point, value.y);
      if (value.high > value.low) {
        const float top = y_.position(value.high);
        const float bottom = y_.position(value.low);
        const float cap = scene_.px(3);
        sink_.line({at.x, top}, {at.x, bottom}, look.color, scene_.px(1.2F));
        sink_.line({at.x - cap, top}, {at.x + cap, top}, look.color, scene_.px(1.2F));
        sink_.line({at.x - cap, bottom}, {at.x + cap, bottom}, look.color, scene_.px(1.2F));
      }
      draw_mark(sink_, look, at, scene_.px(4));
      scene_.spots.push_back({point, at});
    }
    if (line.empty()) return;
    labels_.push_back({line.back().y - scene_.px(14), look.color, curve.label, remark_of(curve)});
  }

  void draw_fit(const run::SweepCurve& curve) {
    const run::CurveFit* fit = fit_of(curve);
    if (fit == nullptr || !x_.log) return;
    sink_.push_clip({frame_.plot.x0, frame_.plot.y0 + lanes_, frame_.plot.x1, frame_.plot.y1});
    const Point a{x_.position(x_.low), y_.position(fit->fit.at(x_.low))};
    const Point b{x_.position(x_.high), y_.position(fit->fit.at(x_.high))};
    dashed_line(sink_, a, b, style(curve).color, scene_.px(1.4F), scene_.px(4), scene_.px(3));
    sink_.pop_clip();
  }

  // Crosses above the top edge; the word and the operator at the first of each series.
  void draw_lanes() {
    if (lanes_ <= 0) return;
    float y = frame_.plot.y0 + lane_height() / 2;
    for (std::size_t s = 0; s < scene_.styles.size(); ++s) {
      if (!has_oom(s)) continue;
      bool first = true;
      for (std::size_t i = 0; i < scene_.figure.sweep.points().size(); ++i) {
        const run::SweepPoint& point = scene_.figure.sweep.points()[i];
        if (point.series != s || point.status != PointStatus::oom) continue;
        const Point at{x_.position(static_cast<double>(point.at[0])), y};
        draw_cross(sink_, at, scene_.px(4), scene_.styles[s].color, scene_.px(1.6F));
        scene_.spots.push_back({i, at});
        if (!first) continue;
        first = false;
        std::string words = scene_.figure.sweep.series()[s].label + " OOM";
        if (!point.measurement.op.empty()) words += ", " + point.measurement.op;
        text_right(sink_,
                   {frame_.plot.x0 + scene_.px(4), y - lane_height() / 2, at.x - scene_.px(10),
                    y + lane_height() / 2},
                   TextStyle::small, scene_.styles[s].color, words);
      }
      y += lane_height();
    }
  }

  void draw_crossovers() {
    for (const run::CurveCrossover& one : scene_.crossovers) {
      if (one.measure != panel_.measure) continue;
      const float x = x_.position(one.crossover.at);
      dashed_line(sink_, {x, frame_.plot.y0 + lanes_}, {x, frame_.plot.y1}, scene_.theme().text3,
                  scene_.px(1), scene_.px(2), scene_.px(3));
      const std::string words = scene_.figure.texts("sweep.crossover_mark",
                                                    {{"series", one.lower_after().label},
                                                     {"axis", scene_.axis_name()},
                                                     {"value", short_count(one.crossover.after)}});
      const float width = sink_.text_width(TextStyle::small, words);
      const float at = std::min(x + scene_.px(4), frame_.plot.x1 - width);
      sink_.text({at, frame_.plot.y1 - scene_.px(20)}, TextStyle::small, scene_.theme().text2,
                 words);
    }
  }

  void draw_saturations() {
    if (panel_.measure != Measure::tokens_per_s) return;
    for (const run::CurveSaturation& knee : scene_.saturations) {
      const Point at{x_.position(knee.saturation.at), y_.position(knee.saturation.y)};
      const Color color = style(knee.curve).color;
      dashed_line(sink_, {at.x, at.y + scene_.px(6)}, {at.x, frame_.plot.y1}, color, scene_.px(1),
                  scene_.px(2), scene_.px(3));
      const std::string words = scene_.figure.texts("sweep.saturation_mark",
                                                    {{"value", short_count(knee.saturation.at)}});
      const float width = sink_.text_width(TextStyle::small, words);
      sink_.text({std::clamp(at.x - width / 2, frame_.plot.x0,
                             std::max(frame_.plot.x0, frame_.plot.x1 - width)),
                  at.y + scene_.px(10)},
                 TextStyle::small, color, words);
    }
  }

  void draw_labels() {
    if (frame_.labels.width() < scene_.px(30)) return;
    const bool remarks = panel_.measure != Measure::tokens_per_s;
    const float height =
        sink_.text_height(TextStyle::small) * (remarks ? 2.0F : 1.0F) + scene_.px(4);
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

  DrawSink& sink_;
  SweepScene& scene_;
  const CurvePanel& panel_;
  PanelFrame frame_;
  PlotAxis x_, y_;
  float label_width_ = 0;
  float lanes_ = 0;
  bool any_ = false;
  std::int64_t limit_ = -1;
  std::string limit_source_;
  std::vector<EndLabel> labels_;
};

}  // namespace

void draw_curve_panel(DrawSink& sink, SweepScene& scene, const Rect& area,
                      const CurvePanel& panel) {
  Curves(sink, scene, area, panel).draw();
}

}  // namespace ts::views
