#include "views/sweep/sweep_panel.h"

#include <algorithm>
#include <cmath>

#include "views/charts/chart_text.h"

namespace ts::views {

std::string SweepScene::axis_name() const {
  return spec::field_name(figure.sweep.spec().axes[0].field);
}

std::vector<double> SweepScene::axis_values() const {
  const auto& values = figure.sweep.spec().axes[0].values;
  return {values.begin(), values.end()};
}

PanelFrame frame_panel(DrawSink& sink, const SweepScene& scene, const Rect& area,
                       const std::string& title, const std::string& subtitle, float label_width) {
  const float left = scene.px(64);
  const float title_height = scene.px(34);
  const Rect row{area.x0 + scene.px(16), area.y0, area.x1 - scene.px(kMenuRoom),
                 area.y0 + title_height};
  text_in(sink, row, TextStyle::body_strong, scene.theme().text, title);
  const float after = row.x0 + sink.text_width(TextStyle::body_strong, title) + scene.px(12);
  text_in(sink, {after, row.y0 + scene.px(1), row.x1, row.y1}, TextStyle::small,
          scene.theme().text3, subtitle);
  PanelFrame frame;
  const float right = area.x1 - std::max(label_width, scene.px(20)) - scene.px(8);
  frame.plot = {std::round(area.x0 + left), std::round(area.y0 + title_height + scene.px(14)),
                std::round(right), std::round(area.y1 - scene.px(34))};
  frame.labels = {frame.plot.x1, frame.plot.y0, area.x1 - scene.px(4), frame.plot.y1};
  return frame;
}

PlotPanel panel_of(DrawSink& sink, const SweepScene& scene, const PanelFrame& frame) {
  return {sink, scene.theme(), scene.figure.metrics, frame.plot};
}

PlotAxis x_axis_of(const SweepScene& scene, const Rect& plot) {
  const auto values = scene.axis_values();
  constexpr double kWide = 4;
  const bool wide = values.back() >= kWide * values.front();
  const bool log = values.front() > 0 && scene.figure.look.log_x.value_or(wide);
  PlotAxis axis = axis_around(values.front(), values.back(), log, plot.x0, plot.x1);
  if (!log) {
    const double margin = std::max((values.back() - values.front()) * 0.06, 0.5);
    axis.low = values.front() - margin;
    axis.high = values.back() + margin;
  }
  return axis;
}

const SeriesStyle& style_of(const SweepScene& scene, const sweep::SweepCurve& curve) {
  return scene.looks[curve.points.front() / curve.points.size()];
}

void draw_axis_name(DrawSink& sink, const SweepScene& scene, const PanelFrame& frame) {
  const std::string name = scene.axis_name();
  const float x = frame.plot.x1 + scene.px(6);
  const float width = sink.text_width(TextStyle::small, name);
  // A long name goes below the labels.
  const bool fits = x + width <= frame.labels.x1;
  sink.text({fits ? x : frame.labels.x1 - width, frame.plot.y1 + scene.px(fits ? 7 : 21)},
            TextStyle::small, scene.theme().text3, name);
}

void draw_x_axis(DrawSink& sink, const SweepScene& scene, const PanelFrame& frame,
                 const PlotAxis& x) {
  draw_bottom_axis(panel_of(sink, scene, frame), x,
                   value_ticks(x, scene.axis_values(), scene.px(44)).ticks);
  draw_axis_name(sink, scene, frame);
}

void draw_y_axis(DrawSink& sink, const SweepScene& scene, const PanelFrame& frame,
                 const PlotAxis& y, const Ticks& ticks) {
  const Rect& plot = frame.plot;
  draw_left_axis(panel_of(sink, scene, frame), y, ticks.ticks);
  const float width = sink.text_width(TextStyle::small, ticks.unit);
  // A long unit extends over the axis and not out of the panel.
  const float unit_x = std::max(plot.x0 - scene.px(60), plot.x0 - scene.px(8) - width);
  sink.text({unit_x, plot.y0 - scene.px(18)}, TextStyle::small, scene.theme().text3, ticks.unit);
}

void draw_series_names(DrawSink& sink, const SweepScene& scene, const Rect& row) {
  float x = row.x1;
  for (std::size_t i = scene.styles.size(); i-- > 0;) {
    const std::string& words = scene.figure.sweep.series()[i].label;
    const float width = sink.text_width(TextStyle::small, words) + scene.px(14);
    if (x - width < row.x0) return;
    x -= width;
    const float middle = (row.y0 + row.y1) / 2;
    draw_mark(sink, scene.styles[i], {x + scene.px(4), middle}, scene.px(4));
    text_in(sink, {x + scene.px(14), row.y0, row.x1, row.y1}, TextStyle::small, scene.theme().text2,
            words);
    x -= scene.px(14);
  }
}

namespace {

float title_of_findings(const SweepScene& scene) {
  return scene.px(34);
}

float line_of_findings(const DrawSink& sink, const SweepScene& scene) {
  return sink.text_height(TextStyle::small) + scene.px(7);
}

}  // namespace

float findings_height(const DrawSink& sink, const SweepScene& scene) {
  const auto lines = finding_lines(scene.figure.sweep, scene.analysis, scene.figure.texts).size();
  return title_of_findings(scene) + scene.px(12) +
         static_cast<float>(lines) * line_of_findings(sink, scene);
}

void draw_findings_panel(DrawSink& sink, const SweepScene& scene, const Rect& area) {
  const auto& t = scene.figure.texts;
  const float title_height = title_of_findings(scene);
  const Rect row{area.x0 + scene.px(16), area.y0, area.x1 - scene.px(8), area.y0 + title_height};
  text_in(sink, row, TextStyle::body_strong, scene.theme().text, t("sweep.panel.findings"));
  float y = area.y0 + title_height + scene.px(4);
  const float line = line_of_findings(sink, scene);
  for (const std::string& sentence : finding_lines(scene.figure.sweep, scene.analysis, t)) {
    if (y + line > area.y1) break;
    text_in(sink, {row.x0, y, row.x1, y + line}, TextStyle::small, scene.theme().text2, sentence);
    y += line;
  }
}

}  // namespace ts::views
