#include "views/sweep/sweep_figure.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "views/charts/read_out.h"
#include "views/charts/stale_mark.h"
#include "views/common/wrapping.h"
#include "views/sweep/sweep_panel.h"

namespace ts::views {
namespace {

using sweep::Measure;

constexpr std::array<const char*, kSweepChartCount> kChartNames = {
    "time", "memory",   "throughput",  "samples", "speed_up",
    "fit",  "roofline", "percentiles", "parts",   "findings"};

void draw_chart(DrawSink& sink, SweepScene& scene, const Rect& area, SweepChart chart) {
  const bool warm_ups = sweep::studies_warm_up(scene.figure.sweep);
  const auto curves = [&](Measure measure, const char* title, const char* subtitle, bool log,
                          bool lines = true) {
    draw_curve_panel(
        sink, scene, area,
        {.measure = measure, .title = title, .subtitle = subtitle, .log = log, .lines = lines});
  };
  switch (chart) {
    case SweepChart::time:
      return curves(Measure::step_ms, "sweep.panel.time",
                    warm_ups ? "sweep.panel.time_about_warmups" : "sweep.panel.time_about", true);
    case SweepChart::memory:
      return curves(Measure::peak_allocated, "sweep.panel.memory", "sweep.panel.memory_about",
                    true);
    case SweepChart::fit:
      return curves(Measure::step_ms, "sweep.panel.fit", "sweep.panel.fit_about", true, false);
    case SweepChart::throughput:
      return curves(Measure::tokens_per_s, "sweep.panel.throughput", "sweep.panel.throughput_about",
                    false);
    case SweepChart::samples:
      return curves(Measure::samples_per_s, "sweep.panel.samples", "sweep.panel.samples_about",
                    false);
    case SweepChart::speed_up:
      return draw_speed_up_panel(sink, scene, area);
    case SweepChart::roofline:
      return draw_roofline_panel(sink, scene, area);
    case SweepChart::percentiles:
      return draw_percentile_panel(sink, scene, area);
    case SweepChart::parts:
      return draw_parts_panel(sink, scene, area);
    case SweepChart::findings:
      return draw_findings_panel(sink, scene, area);
  }
}

std::size_t columns_for(float width, Metrics metrics) {
  return width >= metrics.px(1320) ? 3 : 2;
}

std::shared_ptr<const SweepAnalysis> analysis_of(const SweepFigure& figure) {
  if (figure.cache != nullptr) {
    return figure.cache->of(figure.sweep, figure.look.fit, figure.references);
  }
  return std::make_shared<const SweepAnalysis>(
      analyse(figure.sweep, figure.look.fit, figure.references));
}

// Draws the caption under the charts; returns the room left for them.
Rect draw_caption(DrawSink& sink, const Rect& area, const SweepFigure& figure) {
  Rect grid = area;
  if (figure.caption.empty()) return grid;
  const auto px = [&](float length) { return figure.metrics.px(length); };
  const float line = sink.text_height(TextStyle::small) + px(4);
  const auto lines = wrapped(sink, TextStyle::small, figure.caption, area.width() - px(32));
  grid.y1 -= line * static_cast<float>(lines.size()) + px(12);
  float y = grid.y1 + px(4);
  for (const std::string& words : lines) {
    sink.text({area.x0 + px(16), y}, TextStyle::small, figure.theme.text3, words);
    y += line;
  }
  return grid;
}

// Draws the charts side by side; returns the one under the mouse.
SweepHit draw_grid(DrawSink& sink, SweepScene& scene, const Rect& grid) {
  const SweepFigure& figure = scene.figure;
  const auto charts =
      figure.only ? std::vector{*figure.only} : charts_of(figure.sweep, scene.analysis);
  const std::size_t columns = figure.only ? 1 : columns_for(grid.width(), figure.metrics);
  const std::size_t wanted = (charts.size() + columns - 1) / columns;
  const auto room = static_cast<std::size_t>(std::max(1.0F, grid.height() / scene.px(190)));
  const std::size_t rows = std::clamp<std::size_t>(wanted, 1, room);
  const std::size_t shown = std::min(charts.size(), rows * columns);
  float height = grid.height() / static_cast<float>(rows);
  float last_height = height;
  // Findings alone in the last row of a picture take only the height they need.
  if (!figure.caption.empty() && rows > 1 && shown % columns == 1 &&
      charts[shown - 1] == SweepChart::findings) {
    last_height = std::min(height, findings_height(sink, scene));
    height = (grid.height() - last_height) / static_cast<float>(rows - 1);
  }
  SweepHit hit;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t row = i / columns;
    // The charts of an incomplete last row share its width.
    const std::size_t in_row = std::min(columns, shown - row * columns);
    const float width = grid.width() / static_cast<float>(in_row);
    const float x = std::round(grid.x0 + width * static_cast<float>(i % columns));
    const float y = std::round(grid.y0 + height * static_cast<float>(row));
    const Rect box{x, y, std::round(x + width),
                   std::round(y + (row + 1 == rows ? last_height : height))};
    draw_chart(sink, scene, {box.x0, box.y0, box.x1 - 1, box.y1 - 1}, charts[i]);
    if (box.contains(figure.mouse)) hit = {std::nullopt, charts[i], box};
    if (i % columns + 1 < in_row) {
      sink.fill({box.x1 - 1, box.y0, box.x1, box.y1}, figure.theme.line);
    }
    if (row + 1 < rows) sink.fill({box.x0, box.y1 - 1, box.x1, box.y1}, figure.theme.line);
  }
  return hit;
}

const SweepScene::Spot* nearest_spot(const SweepScene& scene) {
  const SweepScene::Spot* nearest = nullptr;
  float least = scene.px(14);
  for (const SweepScene::Spot& spot : scene.spots) {
    const float distance =
        std::hypot(spot.at.x - scene.figure.mouse.x, spot.at.y - scene.figure.mouse.y);
    if (distance >= least) continue;
    least = distance;
    nearest = &spot;
  }
  return nearest;
}

}  // namespace

const char* to_string(SweepChart chart) {
  return kChartNames[static_cast<std::size_t>(chart)];
}

std::vector<SweepChart> charts_of(const sweep::Sweep& sweep, const SweepAnalysis& analysis) {
  // Dry runs alone give no times.
  const bool measures =
      sweep.running() || std::ranges::any_of(sweep.points(), &sweep::SweepPoint::measured);
  if (!measures) return {SweepChart::memory, SweepChart::findings};
  const bool batch = sweep.spec().axes[0].field == spec::Field::B;
  // A study of warm-up neither compares nor fits its curves.
  const bool warm_up = sweep::studies_warm_up(sweep);
  const bool bars = sweep.series().size() > 1 && sweep.spec().axes.size() == 1 && !warm_up;
  std::vector<SweepChart> all = {SweepChart::time, SweepChart::memory};
  if (batch) {
    all.push_back(SweepChart::throughput);
    all.push_back(SweepChart::samples);
  }
  if (bars) all.push_back(SweepChart::speed_up);
  if (has_roofline(analysis)) all.push_back(SweepChart::roofline);
  if (!warm_up) all.push_back(SweepChart::fit);
  if (!batch) all.push_back(SweepChart::throughput);
  if (has_percentiles(sweep)) all.push_back(SweepChart::percentiles);
  if (has_parts(sweep)) all.push_back(SweepChart::parts);
  all.push_back(SweepChart::findings);
  return all;
}

float wanted_height(const SweepFigure& figure, float width, float seen) {
  const std::size_t columns = columns_for(width, figure.metrics);
  const std::size_t charts = charts_of(figure.sweep, *analysis_of(figure)).size();
  const std::size_t rows = (charts + columns - 1) / columns;
  const float at_once =
      std::clamp(std::floor(seen / figure.metrics.px(215)), 1.0F, static_cast<float>(rows));
  return std::max(std::floor(seen / at_once), figure.metrics.px(200)) * static_cast<float>(rows);
}

SweepHit draw_sweep_figure(DrawSink& sink, const Rect& area, const SweepFigure& figure) {
  const auto analysis = analysis_of(figure);
  SweepScene scene{.figure = figure,
                   .analysis = *analysis,
                   .styles = series_styles(figure.sweep, figure.theme.kind),
                   .looks = curve_styles(figure.sweep, figure.theme.kind)};
  SweepHit hit = draw_grid(sink, scene, draw_caption(sink, area, figure));
  const bool all_seen = figure.seen.width() <= 0;
  draw_stale(sink, figure.theme, figure.metrics, all_seen ? area : figure.seen, figure.texts,
             figure.stale);
  if (!area.contains(figure.mouse)) return {};
  const SweepScene::Spot* const nearest = nearest_spot(scene);
  if (nearest == nullptr) return hit;
  const float ring = scene.px(7);
  sink.outline(
      {nearest->at.x - ring, nearest->at.y - ring, nearest->at.x + ring, nearest->at.y + ring},
      figure.theme.accent, scene.px(1.5F), ring);
  std::vector<ReadOutLine> lines;
  for (const std::string& line : point_lines(figure, nearest->point)) {
    lines.push_back({line, TextStyle::small, lines.empty()});
  }
  draw_read_out(sink, figure.theme, figure.metrics, figure.mouse, area, lines);
  hit.point = nearest->point;
  return hit;
}

}  // namespace ts::views
