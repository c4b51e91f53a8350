#include "views/sweep/sweep_figure.h"

#include <algorithm>
#include <cmath>

#include "views/charts/chart_text.h"
#include "views/charts/read_out.h"
#include "views/sweep/sweep_panel.h"

namespace ts::views {
namespace {

using run::Measure;

enum class Panel : std::uint8_t { time, memory, speed_up, fit, throughput, parts, findings };

std::vector<Panel> panels_of(const run::Sweep& sweep) {
  const bool batch = sweep.spec().axes[0].field == run::Field::B;
  const bool bars = sweep.series().size() > 1 && sweep.spec().axes.size() == 1;
  std::vector<Panel> all = {Panel::time, Panel::memory};
  if (batch) all.push_back(Panel::throughput);
  if (bars) all.push_back(Panel::speed_up);
  all.push_back(Panel::fit);
  if (!batch) all.push_back(Panel::throughput);
  if (has_parts(sweep)) all.push_back(Panel::parts);
  all.push_back(Panel::findings);
  return all;
}

void draw_panel(DrawSink& sink, SweepScene& scene, const Rect& area, Panel panel) {
  switch (panel) {
    case Panel::time:
      return draw_curve_panel(
          sink, scene, area,
          {Measure::step_ms, "sweep.panel.time", "sweep.panel.time_about", true, true});
    case Panel::memory:
      return draw_curve_panel(
          sink, scene, area,
          {Measure::peak_allocated, "sweep.panel.memory", "sweep.panel.memory_about", true, true});
    case Panel::fit:
      return draw_curve_panel(
          sink, scene, area,
          {Measure::step_ms, "sweep.panel.fit", "sweep.panel.fit_about", true, false});
    case Panel::throughput:
      return draw_curve_panel(sink, scene, area,
                              {Measure::tokens_per_s, "sweep.panel.throughput",
                               "sweep.panel.throughput_about", false, true});
    case Panel::speed_up:
      return draw_speed_up_panel(sink, scene, area);
    case Panel::parts:
      return draw_parts_panel(sink, scene, area);
    case Panel::findings:
      return draw_findings_panel(sink, scene, area);
  }
}

// Lines that fit the width, broken at spaces.
std::vector<std::string> wrapped(const DrawSink& sink, const std::string& words, float width) {
  std::vector<std::string> lines(1);
  std::size_t begin = 0;
  while (begin < words.size()) {
    const std::size_t end = std::min(words.find(' ', begin), words.size());
    const std::string word = words.substr(begin, end - begin);
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (!lines.back().empty() && sink.text_width(TextStyle::small, longer) > width) {
      lines.push_back(word);
    } else {
      lines.back() = longer;
    }
    begin = end + 1;
  }
  return lines;
}

std::size_t columns_for(float width, Metrics metrics) {
  return width >= metrics.px(1320) ? 3 : 2;
}

}  // namespace

float wanted_height(const run::Sweep& sweep, float width, Metrics metrics) {
  const std::size_t columns = columns_for(width, metrics);
  const std::size_t rows = (panels_of(sweep).size() + columns - 1) / columns;
  return static_cast<float>(rows) * metrics.px(250);
}

std::optional<std::size_t> draw_sweep_figure(DrawSink& sink, const Rect& area,
                                             const SweepFigure& figure) {
  SweepScene scene{figure,
                   series_styles(figure.sweep, figure.theme.kind),
                   curve_styles(figure.sweep, figure.theme.kind),
                   run::curves_of(figure.sweep),
                   run::fits_of(figure.sweep, figure.look.fit),
                   run::crossovers_of(figure.sweep),
                   run::saturations_of(figure.sweep),
                   run::references_of(figure.sweep, figure.references),
                   {}};
  Rect grid = area;
  if (!figure.caption.empty()) {
    const float line = sink.text_height(TextStyle::small) + scene.px(4);
    const auto lines = wrapped(sink, figure.caption, area.width() - scene.px(32));
    grid.y1 -= line * static_cast<float>(lines.size()) + scene.px(12);
    float y = grid.y1 + scene.px(4);
    for (const std::string& words : lines) {
      sink.text({area.x0 + scene.px(16), y}, TextStyle::small, figure.theme.text3, words);
      y += line;
    }
  }
  const auto panels = panels_of(figure.sweep);
  const std::size_t columns = columns_for(grid.width(), figure.metrics);
  const std::size_t wanted = (panels.size() + columns - 1) / columns;
  const auto room = static_cast<std::size_t>(std::max(1.0F, grid.height() / scene.px(190)));
  const std::size_t rows = std::clamp<std::size_t>(wanted, 1, room);
  const std::size_t shown = std::min(panels.size(), rows * columns);
  const float height = grid.height() / static_cast<float>(rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t row = i / columns;
    // The last row shares its width among fewer.
    const std::size_t in_row = std::min(columns, shown - row * columns);
    const float width = grid.width() / static_cast<float>(in_row);
    const float x = std::round(grid.x0 + width * static_cast<float>(i % columns));
    const float y = std::round(grid.y0 + height * static_cast<float>(row));
    const Rect box{x, y, std::round(x + width), std::round(y + height)};
    draw_panel(sink, scene, {box.x0, box.y0, box.x1 - 1, box.y1 - 1}, panels[i]);
    if (i % columns + 1 < in_row) {
      sink.fill({box.x1 - 1, box.y0, box.x1, box.y1}, figure.theme.line);
    }
    if (row + 1 < rows) sink.fill({box.x0, box.y1 - 1, box.x1, box.y1}, figure.theme.line);
  }
  if (!area.contains(figure.mouse)) return std::nullopt;
  const SweepScene::Spot* nearest = nullptr;
  float least = scene.px(14);
  for (const SweepScene::Spot& spot : scene.spots) {
    const float distance = std::hypot(spot.at.x - figure.mouse.x, spot.at.y - figure.mouse.y);
    if (distance >= least) continue;
    least = distance;
    nearest = &spot;
  }
  if (nearest == nullptr) return std::nullopt;
  const float ring = scene.px(7);
  sink.outline(
      {nearest->at.x - ring, nearest->at.y - ring, nearest->at.x + ring, nearest->at.y + ring},
      figure.theme.accent, scene.px(1.5F), ring);
  std::vector<ReadOutLine> lines;
  for (const std::string& line : point_lines(figure, nearest->point)) {
    lines.push_back({line, TextStyle::small, lines.empty()});
  }
  draw_read_out(sink, figure.theme, figure.metrics, figure.mouse, area, lines);
  return nearest->point;
}

}  // namespace ts::views
