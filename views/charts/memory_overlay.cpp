#include "views/charts/memory_overlay.h"

#include <algorithm>
#include <cmath>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/one_unit.h"
#include "views/charts/plot_axis.h"
#include "views/charts/ticks.h"

namespace ts::views {
namespace {

constexpr float kColumn = 2;  // pixels of one column of the curves

std::array<Color, 2> colors_of(const Theme& theme) {
  return {theme.accent, theme.category[static_cast<std::size_t>(memory::Category::activation)]};
}

// Colour, name and peak of both sides, the second with the ratio: in one line, or below each other.
// Returns where they end.
float draw_names(DrawSink& sink, const Rect& area, const MemoryOverlay& overlay) {
  const float px = overlay.metrics.px(1);
  const auto colors = colors_of(overlay.theme);
  std::array<double, 2> peaks{};
  for (std::size_t i = 0; i < 2; ++i) {
    const memory::AllocationLog* const log = overlay.sides[i].log;
    peaks[i] = log == nullptr ? 0 : static_cast<double>(log->peak_bytes());
  }
  const OneUnit unit = byte_unit(peaks);
  std::array<std::string, 2> words;
  const std::size_t count = overlay.count();
  for (std::size_t i = 0; i < count; ++i) {
    const MemoryOverlay::Side& side = overlay.sides[i];
    words[i] = side.name;
    if (side.log == nullptr) continue;
    words[i] = overlay.texts("compare.memory.peak",
                             {{"name", side.name}, {"peak", unit.joined(peaks[i])}});
    if (i == 1 && peaks[0] > 0)
      words[i] +=
          overlay.texts("compare.memory.ratio", {{"ratio", text::decimal(peaks[1] / peaks[0], 2)}});
  }
  const float line = 22 * px;
  const float first = 20 * px + sink.text_width(TextStyle::body, words[0]) + 32 * px;
  const float second = 20 * px + sink.text_width(TextStyle::body, words[1]);
  const bool beside = first + second <= area.width();
  float y = area.y0;
  for (std::size_t i = 0; i < count; ++i) {
    const float x = beside && i == 1 ? area.x0 + first : area.x0;
    sink.fill({x, y + 5 * px, x + 12 * px, y + 17 * px}, colors[i], 2 * px);
    text_in(sink, {x + 20 * px, y, area.x1, y + line}, TextStyle::body, overlay.theme.text,
            words[i]);
    if (!beside || i + 1 == count) y += line;
  }
  return y;
}

void draw_phases(DrawSink& sink, const Rect& plot, const MemoryOverlay& overlay,
                 const memory::PairedTimelines& axis) {
  if (!axis.by_phase) return;
  const float px = overlay.metrics.px(1);
  double begin = 0;
  for (const memory::PairedPart& part : axis.parts) {
    const auto x0 = plot.x0 + plot.width() * static_cast<float>(begin);
    begin += part.width;
    const auto x1 = plot.x0 + plot.width() * static_cast<float>(begin);
    if (x1 - x0 < 2 * px) continue;
    sink.fill({std::round(x0), plot.y0, std::round(x0) + 1, plot.y1}, overlay.theme.grid);
    const std::string name =
        overlay.texts("timeline.phase." + std::string(base::phase_name(part.phase)));
    text_in(sink, {x0 + 4 * px, plot.y1, x1, plot.y1 + 20 * px}, TextStyle::small,
            overlay.theme.text3, name);
  }
}

void draw_curve(DrawSink& sink, const Rect& plot, double top, Color color,
                const std::vector<std::int64_t>& totals) {
  std::vector<Point> path;
  for (std::size_t i = 0; i < totals.size(); ++i) {
    const float x0 = plot.x0 + kColumn * static_cast<float>(i);
    const float x1 = std::min(x0 + kColumn, plot.x1);
    const auto part = static_cast<float>(static_cast<double>(totals[i]) / top);
    const float y = plot.y1 - plot.height() * part;
    sink.fill({x0, y, x1, plot.y1}, with_alpha(color, 0.16F));
    path.push_back({x0, y});
    path.push_back({x1, y});
  }
  sink.polyline(path, color, 1.6F);
}

}  // namespace

void OverlayCurves::update(const std::array<MemoryOverlay::Side, 2>& sides, std::size_t columns) {
  std::array<Source, 2> sources;
  bool kept = true;
  for (std::size_t i = 0; i < 2; ++i) {
    if (sides[i].log == nullptr) continue;
    sources[i] = {sides[i].log, sides[i].owner, sides[i].log->version()};
    kept &= sides[i].owner != nullptr;
  }
  if (kept && sources == made_of_ && columns == columns_) return;
  made_of_ = sources;
  columns_ = columns;
  const memory::AllocationLog& first = *sides[0].log;
  axis_ = memory::pair_timelines(first, sides[1].log != nullptr ? *sides[1].log : first);
  for (std::size_t i = 0; i < 2; ++i) {
    totals_[i].clear();
    if (sides[i].log != nullptr)
      totals_[i] = memory::totals_on_axis(*sides[i].log, axis_, i, columns);
  }
}

void draw_memory_overlay(DrawSink& sink, const Rect& area, const MemoryOverlay& overlay) {
  const float px = overlay.metrics.px(1);
  const float names = draw_names(sink, area, overlay);
  const Rect plot{area.x0 + 64 * px, names + 12 * px, area.x1 - 8 * px, area.y1 - 22 * px};
  const auto& [a, b] = overlay.sides;
  // A second side without a log has its name alone.
  if (a.log == nullptr || plot.height() < 40 * px || plot.width() < 80 * px) return;
  const std::int64_t other = b.log != nullptr ? b.log->peak_bytes() : 0;
  const double top =
      1.05 * static_cast<double>(std::max({a.log->peak_bytes(), other, std::int64_t{1}}));
  const Ticks ticks = byte_ticks(static_cast<std::int64_t>(top), plot.height(), 26 * px);
  for (const Tick& tick : ticks.ticks) {
    const auto y = plot.y1 - plot.height() * static_cast<float>(tick.position / top);
    sink.fill({plot.x0, std::round(y), plot.x1, std::round(y) + 1}, overlay.theme.grid);
    text_right(sink, {area.x0, y - 9 * px, plot.x0 - 8 * px, y + 9 * px}, TextStyle::small,
               overlay.theme.text3,
               ticks.unit.empty() ? tick.label : tick.label + " " + ticks.unit);
  }
  OverlayCurves fresh;
  OverlayCurves& curves = overlay.curves != nullptr ? *overlay.curves : fresh;
  curves.update(overlay.sides, static_cast<std::size_t>(std::ceil(plot.width() / kColumn)));
  draw_phases(sink, plot, overlay, curves.axis());
  const auto colors = colors_of(overlay.theme);
  sink.push_clip(plot);
  for (std::size_t i = 0; i < overlay.count(); ++i)
    if (overlay.sides[i].log != nullptr) draw_curve(sink, plot, top, colors[i], curves.totals(i));
  sink.pop_clip();
  if (!curves.axis().by_phase) {
    text_in(sink, {plot.x0, plot.y1, plot.x1, plot.y1 + 20 * px}, TextStyle::small,
            overlay.theme.text3, overlay.texts("compare.memory.not_paired"));
  }
}

}  // namespace ts::views
