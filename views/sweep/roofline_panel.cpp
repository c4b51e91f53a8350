// Roofline (Williams, Waterman, Patterson 2009): reached rate against FLOP per byte, under the peak
// and the bandwidth of the device.
#include <algorithm>
#include <array>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/common/spec_text.h"
#include "views/sweep/beaten_marks.h"
#include "views/sweep/label_space.h"
#include "views/sweep/sweep_panel.h"

namespace ts::views {
namespace {

struct Placed {
  std::size_t point = 0;
  double intensity = 0;
  double tflops = 0;
};

std::vector<Placed> placed(const SweepScene& scene, const sweep::SweepCurve& curve) {
  std::vector<Placed> all;
  for (const std::size_t index : curve.points) {
    const sweep::SweepPoint& point = scene.figure.sweep.points()[index];
    const auto& theory = scene.analysis.theories[index];
    const double tflops = point.measurement.tflops_per_s;
    if (point.status != sweep::PointStatus::ok || !theory || !(tflops > 0)) continue;
    all.push_back({index, theory->intensity(), tflops});
  }
  return all;
}

// The lower of bandwidth times intensity and peak (F-9).
double allowed(const report::Roofs& roofs, double intensity) {
  const double by_memory = roofs.gb_s > 0 ? roofs.gb_s * intensity * 1e-3 : roofs.tflops;
  return roofs.tflops > 0 ? std::min(roofs.tflops, by_memory) : by_memory;
}

double ridge(const report::Roofs& roofs) {
  return roofs.tflops > 0 && roofs.gb_s > 0 ? roofs.tflops / roofs.gb_s * 1e3 : 0;
}

// The unit of all numbers in the panel: that of the highest roof.
struct RateUnit {
  double tflops = 1;  // its size
  const char* name = "TFLOP/s";
};

RateUnit unit_of(const std::vector<report::Roofs>& roofs) {
  double most = 0;
  for (const report::Roofs& one : roofs) most = std::max(most, one.tflops);
  for (const RateUnit unit :
       {RateUnit{1, "TFLOP/s"}, RateUnit{1e-3, "GFLOP/s"}, RateUnit{1e-6, "MFLOP/s"}}) {
    if (most >= unit.tflops) return unit;
  }
  return {};
}

// Three digits at least: "18.61", "0.452".
std::string rate_number(double tflops, const RateUnit& unit) {
  const double value = tflops / unit.tflops;
  return text::decimal(value, value >= 100 ? 0 : value >= 1 ? 2 : value >= 0.1 ? 3 : 4);
}

struct Axes {
  PlotAxis x, y;
};

Axes axes_for(const SweepScene& scene, const Rect& plot, const std::vector<report::Roofs>& roofs) {
  double least_x = 1e300;
  double most_x = 0;
  double least_y = 1e300;
  double most_y = 0;
  const auto add = [&](double intensity, double tflops) {
    least_x = std::min(least_x, intensity);
    most_x = std::max(most_x, intensity);
    least_y = std::min(least_y, tflops);
    most_y = std::max(most_y, tflops);
  };
  for (const sweep::SweepCurve& curve : scene.analysis.curves) {
    for (const Placed& one : placed(scene, curve)) add(one.intensity, one.tflops);
  }
  const bool measured = most_x > 0;
  for (const auto& theory : scene.analysis.theories) {
    if (theory && !measured) add(theory->intensity(), allowed(theory->roofs, theory->intensity()));
  }
  for (const report::Roofs& one : roofs) {
    const double corner = ridge(one) > 0 ? ridge(one) : most_x;
    add(corner, allowed(one, corner));
  }
  const SweepStyle& look = scene.figure.look;
  const auto axis = [](double least, double most, bool log, float from, float to) {
    const double room = log ? 2.5 : 1.1;
    return axis_around(least / room, most * room, log, from, to);
  };
  return {axis(least_x, most_x, look.log_x.value_or(true), plot.x0, plot.x1),
          axis(least_y, most_y, look.log_y.value_or(true), plot.y1, plot.y0)};
}

// Text that is drawn after all lines and marks.
struct Note {
  Point at;
  std::string words;
  Color color;
};

void draw_roof(DrawSink& sink, const SweepScene& scene, const Rect& plot, const Axes& axes,
               const report::Roofs& roofs, const RateUnit& unit, bool several, LabelSpace& space,
               std::vector<Note>& notes) {
  const Color color = scene.theme().text;
  const double corner = ridge(roofs);
  auto line = curve_along(axes.x, axes.y, [&](double x) { return allowed(roofs, x); });
  if (axes.x.shows(corner) && corner > 0) {
    const Point at{axes.x.position(corner), axes.y.position(roofs.tflops)};
    line.insert(std::ranges::upper_bound(line, at.x, {}, &Point::x), at);
  }
  sink.push_clip(plot);
  sink.polyline(line, color, scene.px(1.4F));
  space.take(line);
  if (axes.x.shows(corner) && corner > 0) {
    const float x = axes.x.position(corner);
    dashed_line(sink, {x, axes.y.position(roofs.tflops)}, {x, plot.y1}, scene.theme().text3,
                scene.px(1), scene.px(2), scene.px(3));
    const std::string words = scene.figure.texts(
        "sweep.roofline.ridge", {{"value", text::decimal(corner, corner < 10 ? 1 : 0)}});
    space.take(std::array{Point{x, axes.y.position(roofs.tflops)}, Point{x, plot.y1}});
    notes.push_back({{x, plot.y1 - scene.px(12)}, words, scene.theme().text3});
  }
  std::string peak = rate_number(roofs.tflops, unit) + " " + unit.name;
  if (several) peak += ", " + message_text(scene.figure.texts, roofs.source);
  const float peak_width = sink.text_width(TextStyle::small, peak);
  notes.push_back(
      {{plot.x1 - peak_width - scene.px(12), axes.y.position(roofs.tflops)}, peak, color});
  if (roofs.gb_s > 0) {
    const float end = std::min(axes.x.position(std::max(corner, axes.x.low)), plot.x1);
    const float x = plot.x0 + (end - plot.x0) * 0.6F;
    const double value = axes.x.value_at((x - plot.x0) / plot.width());
    notes.push_back({{x, axes.y.position(allowed(roofs, value))},
                     text::rate(roofs.gb_s * 1e9, "B").joined(),
                     color});
  }
  sink.pop_clip();
}

void draw_intensity_axis(DrawSink& sink, const SweepScene& scene, const PanelFrame& frame,
                         const PlotAxis& x) {
  const Rect& plot = frame.plot;
  draw_bottom_axis(panel_of(sink, scene, frame), x, number_ticks(x, scene.px(44)).ticks);
  const std::string name = "FLOP/byte";
  const float width = sink.text_width(TextStyle::small, name);
  sink.text({frame.labels.x1 - width, plot.y1 + scene.px(7)}, TextStyle::small, scene.theme().text3,
            name);
}

}  // namespace

bool has_roofline(const SweepAnalysis& analysis) {
  return std::ranges::any_of(analysis.theories,
                             [](const auto& theory) { return theory && theory->roofs.tflops > 0; });
}

void draw_roofline_panel(DrawSink& sink, SweepScene& scene, const Rect& area) {
  const auto roofs = sweep::roofs_of(scene.analysis.theories);
  const std::string about =
      roofs.size() == 1 ? message_text(scene.figure.texts, roofs[0].source) : std::string();
  const std::string title = scene.figure.texts("sweep.panel.roofline");
  const PanelFrame frame = frame_panel(sink, scene, area, title, about, scene.px(70));
  const float title_end = area.x0 + scene.px(40) + sink.text_width(TextStyle::body_strong, title) +
                          sink.text_width(TextStyle::small, about);
  // Over two axes a series is several curves with different looks; their names are at their marks.
  if (scene.analysis.curves.size() == scene.styles.size()) {
    draw_series_names(sink, scene,
                      {title_end, area.y0, area.x1 - scene.px(kMenuRoom), area.y0 + scene.px(34)});
  }
  const Axes axes = axes_for(scene, frame.plot, roofs);
  const RateUnit unit = unit_of(roofs);
  PlotAxis in_unit = axes.y;
  in_unit.low /= unit.tflops;
  in_unit.high /= unit.tflops;
  Ticks ticks = number_ticks(in_unit, scene.px(26));
  for (Tick& tick : ticks.ticks) tick.position *= unit.tflops;
  ticks.unit = unit.name;
  draw_y_axis(sink, scene, frame, axes.y, ticks);
  draw_intensity_axis(sink, scene, frame, axes.x);
  draw_beaten_note(sink, scene, frame, ticks.unit);
  LabelSpace space;
  std::vector<Note> notes;
  for (const report::Roofs& one : roofs) {
    if (one.tflops > 0)
      draw_roof(sink, scene, frame.plot, axes, one, unit, roofs.size() > 1, space, notes);
  }
  sink.push_clip(frame.plot);
  for (const sweep::SweepCurve& curve : scene.analysis.curves) {
    const SeriesStyle& look = style_of(scene, curve);
    std::vector<Point> line;
    for (const Placed& one : placed(scene, curve)) {
      const Point at{axes.x.position(one.intensity), axes.y.position(one.tflops)};
      line.push_back(at);
      draw_mark(sink, look, at, scene.px(4));
      ring_if_beaten(sink, scene, space, one.point, at);
      space.take(
          Rect{at.x - scene.px(4), at.y - scene.px(4), at.x + scene.px(4), at.y + scene.px(4)});
      scene.spots.push_back({one.point, at});
    }
    space.take(line);
    if (line.size() > 1) {
      sink.polyline(line, mixed(scene.theme().bg, look.color, 0.5F), scene.px(1));
    }
    if (line.empty()) continue;
    // Beside the last mark, which has the greatest value of the axis.
    const std::size_t last = placed(scene, curve).back().point;
    const std::string words =
        curve.label + " " +
        rate_number(scene.figure.sweep.points()[last].measurement.tflops_per_s, unit);
    notes.push_back({line.back(), words, readable(look.color, scene.theme().bg)});
  }
  for (const Note& note : notes) {
    const Rect at = space.beside(note.at, sink.text_width(TextStyle::small, note.words),
                                 sink.text_height(TextStyle::small), scene.px(7), frame.plot);
    sink.text({at.x0, at.y0}, TextStyle::small, note.color, note.words);
  }
  sink.pop_clip();
}

}  // namespace ts::views
