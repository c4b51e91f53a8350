// The marks on the curves of a panel: the limit, out of memory, where curves cross and flatten.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/common/spec_text.h"
#include "views/sweep/curve_panel.h"

namespace ts::views {

using sweep::Measure;
using sweep::PointStatus;

void Curves::draw_limit() {
  if (limit_ <= 0) return;
  const float y = std::round(y_.position(static_cast<double>(limit_)));
  const Rect beyond{frame_.plot.x0, inside().y0, frame_.plot.x1, y};
  if (beyond.height() > 0) {
    sink_.fill(beyond, mixed(scene_.theme().bg, scene_.theme().bad, 0.12F));
  }
  sink_.fill({frame_.plot.x0, y - scene_.px(1), frame_.plot.x1, y + scene_.px(1)},
             scene_.theme().bad);
  space_.take(std::array{Point{frame_.plot.x0, y}, Point{frame_.plot.x1, y}});
}

// Below or above the line, preferably at the left, before curves reach it.
void Curves::draw_limit_name() {
  if (limit_ <= 0) return;
  const std::string words =
      limit_text(scene_.figure.texts, limit_source_) + "  " + text::bytes(limit_).joined();
  const float width = sink_.text_width(TextStyle::small, words);
  const float height = sink_.text_height(TextStyle::small);
  const float y = std::round(y_.position(static_cast<double>(limit_)));
  std::vector<Rect> places;
  for (const float top : {y - scene_.px(3) - height, y + scene_.px(3)}) {
    for (const float part : {0.0F, 0.5F, 1.0F}) {
      const float room = frame_.plot.width() - width - scene_.px(12);
      const float x = frame_.plot.x0 + scene_.px(6) + part * std::max(0.0F, room);
      if (top >= inside().y0 - 1) places.push_back({x, top, x + width, top + height});
    }
  }
  if (places.empty()) return;
  const Rect at = space_.place(places, inside());
  sink_.text({at.x0, at.y0}, TextStyle::small, scene_.theme().bad, words);
}

// Guides of slopes 1 and 2 through the middle of the measured values.
void Curves::draw_guides() {
  const double middle_x = x_.value_at(0.5);
  const double middle_y = y_.value_at(0.5);
  if (!(middle_x > 0)) return;
  sink_.push_clip(inside());
  for (const int slope : {1, 2}) {
    const auto value = [&](double x) { return middle_y * std::pow(x / middle_x, slope); };
    const auto path = curve_along(x_, y_, value);
    dashed_path(sink_, path, scene_.theme().text3, scene_.px(1.2F), scene_.px(1.5F), scene_.px(4));
    space_.take(path);
    // Its name is near the right end, or where the line leaves through the top.
    double part = 0.95;
    while (part > 0.5 && value(x_.value_at(part)) > y_.value_at(0.95)) part -= 0.05;
    const double x = x_.value_at(part);
    const std::string name = "O(" + scene_.axis_name() + (slope == 1 ? ")" : "\xc2\xb2)");
    guide_names_.push_back({{x_.position(x), y_.position(value(x))}, name});
  }
  sink_.pop_clip();
}

void Curves::draw_guide_names() {
  for (const GuideName& one : guide_names_) {
    const Rect at = space_.beside(one.at, sink_.text_width(TextStyle::small, one.words),
                                  sink_.text_height(TextStyle::small), scene_.px(6), inside());
    sink_.text({at.x0, at.y0}, TextStyle::small, scene_.theme().text3, one.words);
  }
}

// Crosses above the top edge; the first one of each series has the word and the operator.
void Curves::draw_lanes() {
  if (lanes_ <= 0) return;
  float y = frame_.plot.y0 + lane_height() / 2;
  for (std::size_t s = 0; s < scene_.styles.size(); ++s) {
    if (!has_oom(s)) continue;
    bool first = true;
    for (std::size_t i = 0; i < scene_.figure.sweep.points().size(); ++i) {
      const sweep::SweepPoint& point = scene_.figure.sweep.points()[i];
      if (point.series != s || point.status != PointStatus::oom) continue;
      const Point at{x_.position(static_cast<double>(point.at[0])), y};
      draw_cross(sink_, at, scene_.px(4), scene_.styles[s].color, scene_.px(1.6F));
      scene_.spots.push_back({i, at});
      if (!first) continue;
      first = false;
      std::string words = scene_.figure.sweep.series()[s].label + " OOM";
      const std::string& op = point.measured ? point.measurement.op : point.prediction.op;
      if (!op.empty()) words += ", " + op;
      text_right(sink_,
                 {frame_.plot.x0 + scene_.px(4), y - lane_height() / 2, at.x - scene_.px(10),
                  y + lane_height() / 2},
                 TextStyle::small, scene_.styles[s].color, words);
    }
    y += lane_height();
  }
}

void Curves::draw_crossovers() {
  for (const sweep::CurveCrossover& one : scene_.analysis.crossovers) {
    if (one.measure != panel_.measure) continue;
    const float x = x_.position(one.crossover.at);
    const std::array line{Point{x, frame_.plot.y0 + lanes_}, Point{x, frame_.plot.y1}};
    dashed_line(sink_, line[0], line[1], scene_.theme().text3, scene_.px(1), scene_.px(2),
                scene_.px(3));
    space_.take(line);
  }
}

// Drawn over all lines, so that no line crosses the text of another.
void Curves::draw_crossover_names() {
  for (const sweep::CurveCrossover& one : scene_.analysis.crossovers) {
    if (one.measure != panel_.measure) continue;
    const float x = x_.position(one.crossover.at);
    const std::string words =
        scene_.figure.texts("sweep.crossover_mark", {{"series", one.lower_after().label},
                                                     {"axis", scene_.axis_name()},
                                                     {"value", short_count(one.crossover.after)}});
    const float width = sink_.text_width(TextStyle::small, words);
    // Beside its line, from the bottom up.
    const float height = sink_.text_height(TextStyle::small);
    std::vector<Rect> places;
    for (float top = frame_.plot.y1 - scene_.px(20); top >= inside().y0; top -= height / 2) {
      for (const float left : {x + scene_.px(4), x - scene_.px(4) - width})
        places.push_back({left, top, left + width, top + height});
    }
    if (places.empty()) continue;
    const Rect name = space_.place(places, inside());
    sink_.fill({name.x0 - scene_.px(2), name.y0, name.x1 + scene_.px(2), name.y1},
               scene_.theme().bg);
    sink_.text({name.x0, name.y0}, TextStyle::small, scene_.theme().text2, words);
  }
}

// Published step times: faint, each with the name of its hardware at its last point.
void Curves::draw_references() {
  const Color color = scene_.theme().text3;
  sink_.push_clip(inside());
  const float line = sink_.text_height(TextStyle::small) + scene_.px(2);
  std::vector<float> taken;
  for (const sweep::ReferenceSeries& series : scene_.analysis.references) {
    std::optional<Point> before;
    for (const auto& [at, ms] : series.step_ms) {
      const auto x = static_cast<double>(at);
      if (!x_.shows(x)) continue;
      const Point here{x_.position(x), y_.position(ms)};
      if (before) {
        dashed_line(sink_, *before, here, color, scene_.px(1), scene_.px(2), scene_.px(3));
      }
      const float arm = scene_.px(3);
      sink_.line({here.x - arm, here.y}, {here.x + arm, here.y}, color, scene_.px(1.2F));
      sink_.line({here.x, here.y - arm}, {here.x, here.y + arm}, color, scene_.px(1.2F));
      before = here;
    }
    if (!before) continue;
    const std::string words = series.name + ", " + series.hardware;
    const float width = sink_.text_width(TextStyle::small, words);
    const float left = std::clamp(before->x - width, frame_.plot.x0 + scene_.px(4),
                                  std::max(frame_.plot.x0 + scene_.px(4), frame_.plot.x1 - width));
    float top = before->y + scene_.px(4);
    const auto covers = [&](float other) { return std::abs(other - top) < line; };
    while (std::ranges::any_of(taken, covers)) top += line;
    // No room below: place it above the point and the text there.
    if (top + line > inside().y1) {
      top = std::min(before->y - line - scene_.px(4), inside().y1 - line);
      while (std::ranges::any_of(taken, covers)) top -= line;
    }
    taken.push_back(top);
    sink_.text({left, top}, TextStyle::small, color, words);
  }
  sink_.pop_clip();
}

// Measured divided by fitted, in percent, below the fit.
void Curves::draw_residuals() {
  const Rect strip{frame_.plot.x0, frame_.plot.y1 - residuals_ + scene_.px(14), frame_.plot.x1,
                   frame_.plot.y1 - scene_.px(2)};
  double worst = 1;
  for (const sweep::CurveFit& fit : scene_.analysis.fits) {
    if (fit.measure != panel_.measure) continue;
    for (const double residual : fit.fit.residuals) {
      worst = std::max(worst, std::abs(std::expm1(residual)) * 100);
    }
  }
  const PlotAxis y{.low = -worst * 1.15, .high = worst * 1.15, .from = strip.y1, .to = strip.y0};
  const float zero = std::round(y.position(0));
  sink_.fill({strip.x0, zero, strip.x1, zero + 1}, scene_.theme().line);
  for (const double end : {worst, -worst}) {
    const std::string words = (end > 0 ? "+" : "\xe2\x88\x92") + text::decimal(worst, 0) + " %";
    const float width = sink_.text_width(TextStyle::small, words);
    sink_.text({strip.x0 - scene_.px(8) - width,
                y.position(end) - sink_.text_height(TextStyle::small) / 2},
               TextStyle::small, scene_.theme().text2, words);
  }
  text_in(sink_,
          {strip.x0 + scene_.px(6), strip.y0 - scene_.px(12), strip.x1, strip.y0 + scene_.px(2)},
          TextStyle::small, scene_.theme().text3, scene_.figure.texts("sweep.residuals"));
  for (const sweep::CurveFit& fit : scene_.analysis.fits) {
    if (fit.measure != panel_.measure) continue;
    const SeriesStyle& look = style(fit.curve);
    for (std::size_t i = 0; i < fit.points.size(); ++i) {
      const double percent = std::expm1(fit.fit.residuals[i]) * 100;
      if (!std::isfinite(percent)) continue;
      const Point at{x_.position(static_cast<double>(point_at(fit.points[i]).at[0])),
                     y.position(percent)};
      draw_mark(sink_, look, at, scene_.px(3));
      scene_.spots.push_back({fit.points[i], at});
    }
  }
}

void Curves::draw_saturations() {
  if (panel_.measure != Measure::tokens_per_s) return;
  for (const sweep::CurveSaturation& knee : scene_.analysis.saturations) {
    const Point at{x_.position(knee.saturation.at), y_.position(knee.saturation.y)};
    const Color color = style(knee.curve).color;
    dashed_line(sink_, {at.x, at.y + scene_.px(6)}, {at.x, frame_.plot.y1}, color, scene_.px(1),
                scene_.px(2), scene_.px(3));
    const std::string words =
        scene_.figure.texts("sweep.saturation_mark", {{"value", short_count(knee.saturation.at)}});
    const Rect name = space_.beside(at, sink_.text_width(TextStyle::small, words),
                                    sink_.text_height(TextStyle::small), scene_.px(8), inside());
    sink_.text({name.x0, name.y0}, TextStyle::small, readable(color, scene_.theme().bg), words);
  }
}

}  // namespace ts::views
