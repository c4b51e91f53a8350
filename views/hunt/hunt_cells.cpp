#include "views/hunt/hunt_cells.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "core/predict/hunt_table.h"
#include "views/charts/chart_text.h"
#include "views/common/backend_marks.h"

namespace ts::views {
namespace {

using predict::CellState;
using predict::Fit;
using predict::HuntCell;

// Brighter the fuller the card; darker again far beyond its memory.
float strength(const HuntCell& cell, std::int64_t memory) {
  const auto needed = static_cast<float>(
      cell.fit == Fit::oom ? cell.at_least : cell.at_most.value_or(cell.at_least));
  const float part = needed / static_cast<float>(std::max<std::int64_t>(1, memory));
  if (cell.fit != Fit::oom) return 0.25F + 0.35F * std::clamp(part, 0.0F, 1.0F);
  return 0.20F + 0.25F / std::max(1.0F, part);
}

// The number of a cell in the unit of the map. If it is wider than the cell: in the next larger
// unit, with its letter.
std::string text_of(const DrawSink& sink, const HuntCell& cell, const HuntGrid& grid) {
  constexpr std::string_view kUnits = "BKMGT";
  std::string words = predict::grid_text(cell, grid.unit, grid.whole);
  const auto is_wide = [&] {
    return sink.text_width(TextStyle::small, words) + 2 > grid.width - 1;
  };
  for (std::size_t at = kUnits.find(grid.unit) + 1; at < kUnits.size() && is_wide(); ++at) {
    words = predict::grid_text(cell, kUnits[at], true) + kUnits[at];
  }
  return words;
}

// One of two cells fits and the other does not.
bool parted(const HuntCell& one, const HuntCell& other) {
  return one.answered() && other.answered() && (one.fit == Fit::oom) != (other.fit == Fit::oom);
}

// Calls `edge` with every edge between a cell that fits and one that does not. The edge extends by
// `half` to both sides.
template <class Edge>
void for_each_edge(const predict::HuntMap& map, const HuntGrid& grid, float half,
                   const Edge& edge) {
  const auto parts = [&](std::size_t a, std::size_t b) { return parted(map.cell(a), map.cell(b)); };
  for (std::size_t i = 0; i < map.size(); ++i) {
    const Rect box = grid.cell(i);
    const bool last_column = i % grid.columns + 1 == grid.columns;
    const bool last_row = i / grid.columns + 1 == grid.rows;
    if (!last_column && parts(i, i + 1))
      edge(Rect{box.x1 - half, box.y0 - half, box.x1 + 1 + half, box.y1 + 1 + half});
    if (!last_row && parts(i, i + grid.columns))
      edge(Rect{box.x0 - half, box.y1 - half, box.x1 + 1 + half, box.y1 + 1 + half});
  }
}

}  // namespace

Color fit_color(const Theme& theme, Fit fit, float part) {
  const Color full = fit == Fit::fits               ? theme.ok
                     : fit == Fit::fits_after_flush ? theme.warn
                                                    : theme.bad;
  return mixed(theme.surface, full, part);
}

void draw_stripes(DrawSink& sink, const Rect& box, Color color, float distance) {
  sink.push_clip(box);
  for (float x = box.x0 - box.height(); x < box.x1; x += distance) {
    sink.line({x, box.y1}, {x + box.height(), box.y0}, color, 1);
  }
  sink.pop_clip();
}

Rect HuntGrid::cell(std::size_t index) const {
  const auto column = static_cast<float>(index % columns);
  const auto row = static_cast<float>(index / columns);
  return {box.x0 + column * width, box.y0 + row * height, box.x0 + (column + 1) * width - 1,
          box.y0 + (row + 1) * height - 1};
}

std::optional<std::size_t> HuntGrid::at(Point point) const {
  if (!box.contains(point)) return std::nullopt;
  const auto column = static_cast<std::size_t>((point.x - box.x0) / width);
  const auto row = static_cast<std::size_t>((point.y - box.y0) / height);
  if (column >= columns || row >= rows) return std::nullopt;
  return row * columns + column;
}

bool too_narrow(const DrawSink& sink, const predict::HuntMap& map, const HuntGrid& grid) {
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (!map.cell(i).answered()) continue;
    const std::string words = predict::grid_text(map.cell(i), grid.unit);
    if (sink.text_width(TextStyle::small, words) + 2 > grid.width - 1) return true;
  }
  return false;
}

void draw_cells(DrawSink& sink, const HuntFigure& figure, const HuntGrid& grid) {
  const Theme& theme = figure.theme;
  for (std::size_t i = 0; i < figure.map.size(); ++i) {
    const HuntCell& cell = figure.map.cell(i);
    const Rect box = grid.cell(i);
    if (!cell.answered()) {
      sink.fill(box, cell.state == CellState::unknown ? theme.surface2 : theme.bg);
      continue;
    }
    const bool tight = cell.fit == Fit::fits_after_flush;
    const Color ground = fit_color(theme, cell.fit, tight ? 0.55F : strength(cell, figure.memory));
    sink.fill(box, ground);
    const std::string words = text_of(sink, cell, grid);
    const float width = sink.text_width(TextStyle::small, words);
    const bool fits =
        width + 2 <= box.width() && sink.text_height(TextStyle::small) <= box.height();
    const Point at{std::round(box.x0 + (box.width() - width) / 2),
                   std::round(box.y0 + (box.height() - sink.text_height(TextStyle::small)) / 2)};
    if (tight) {
      draw_stripes(sink, box, with_alpha(theme.bg, 0.5F), figure.metrics.px(6));
      // The number has a plate behind it: stripes would be as bright as the number.
      const float gap = figure.metrics.px(3);
      if (fits) {
        sink.fill({std::max(box.x0, at.x - gap), at.y, std::min(box.x1, at.x + width + gap),
                   at.y + sink.text_height(TextStyle::small)},
                  ground);
      }
    }
    // Bounds are less prominent than numbers.
    const Color color = cell.state == CellState::probed ? theme.text : theme.text2;
    if (fits) sink.text(at, TextStyle::small, readable(color, ground), words);
  }
}

bool has_frontier(const predict::HuntMap& map) {
  const std::size_t columns = map.x_values().size();
  for (std::size_t i = 0; i < map.size(); ++i) {
    if (i % columns + 1 < columns && parted(map.cell(i), map.cell(i + 1))) return true;
    if (i + columns < map.size() && parted(map.cell(i), map.cell(i + columns))) return true;
  }
  return false;
}

void draw_frontier(DrawSink& sink, const HuntFigure& figure, const HuntGrid& grid) {
  for_each_edge(figure.map, grid, std::max(2.0F, figure.metrics.px(2)) / 2,
                [&](const Rect& edge) { sink.fill(edge, figure.theme.text); });
}

Color second_color(const Theme& theme) {
  return backend_color(theme.kind, spec::AttentionBackend::flash);
}

void draw_dashes(DrawSink& sink, const Rect& line, Color color, float on, float off) {
  const bool across = line.width() >= line.height();
  const float end = across ? line.x1 : line.y1;
  for (float at = across ? line.x0 : line.y0; at < end; at += on + off) {
    const float to = std::min(at + on, end);
    sink.fill(across ? Rect{at, line.y0, to, line.y1} : Rect{line.x0, at, line.x1, to}, color);
  }
}

void draw_second_frontier(DrawSink& sink, const HuntFigure& figure, const HuntGrid& grid) {
  if (figure.other == nullptr || figure.other->size() != figure.map.size()) return;
  const float px = figure.metrics.px(1);
  for_each_edge(*figure.other, grid, std::max(1.0F, 0.75F * px), [&](const Rect& edge) {
    draw_dashes(sink, edge, second_color(figure.theme), 6 * px, 4 * px);
  });
}

void draw_frames(DrawSink& sink, const HuntFigure& figure, const HuntGrid& grid) {
  const float px = figure.metrics.px(1);
  const auto inside = [px](const Rect& box, float by) {
    return Rect{box.x0 + by * px, box.y0 + by * px, box.x1 - by * px, box.y1 - by * px};
  };
  for (std::size_t i = 0; i < figure.map.size(); ++i) {
    const HuntCell& cell = figure.map.cell(i);
    if (!cell.run) continue;
    const Color color = cell.contradicted() ? figure.theme.bad : figure.theme.text;
    const Rect box = grid.cell(i);
    // Around the number if there is room for both, else along the edge of the cell.
    const float number = sink.text_width(TextStyle::small, text_of(sink, cell, grid));
    const bool roomy = box.height() >= sink.text_height(TextStyle::small) + 8 * px &&
                       box.width() >= number + 12 * px;
    sink.outline(inside(box, roomy ? 3 : 1), color, 1.5F * px, 3 * px);
    if (cell.contradicted()) {
      sink.line({box.x0, box.y1}, {box.x1, box.y0}, color, 1.5F * px);
    }
  }
  if (figure.selected) {
    sink.outline(inside(grid.cell(*figure.selected), 0), figure.theme.accent, 2 * px);
  }
}

}  // namespace ts::views
