// The caching allocator over cycles: what is reserved, in its parts, after each, and the segments
// to scale after this one.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/text/numbers.h"
#include "views/calculate/stepper_picture.h"
#include "views/charts/chart_text.h"
#include "views/charts/plot_axis.h"

namespace ts::views::stepping {
namespace {

using allocator::ReservedPart;
using stepper::CachedCycles;

constexpr double kMebibytes = 1 << 20;
constexpr int kMapRows = 6;

// The parts from the bottom to the top of a bar.
struct Layer {
  const char* key;
  Color color;
  std::array<ReservedPart, 4> parts;
  std::size_t count = 0;
};
std::vector<Layer> layers_of(const Theme& theme) {
  using enum ReservedPart;
  return {{"stepper.cycles.in_use", theme.accent, {}, 0},
          {"stepper.cycles.rounded", theme.text3, {rounding, size_class, unsplit}, 3},
          {"stepper.cycles.too_small", theme.warn, {too_small}, 1},
          {"stepper.cycles.barred", theme.bad, {barred}, 1},
          {"stepper.cycles.usable", theme.ok, {usable, elsewhere, cached}, 3}};
}

std::int64_t bytes_of(const Layer& layer, const allocator::ReservedParts& parts) {
  if (layer.count == 0) return parts.requested;
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < layer.count; ++i) bytes += parts[layer.parts[i]];
  return bytes;
}

Color color_of(const std::vector<Layer>& layers, ReservedPart part) {
  for (const Layer& layer : layers) {
    for (std::size_t i = 0; i < layer.count; ++i)
      if (layer.parts[i] == part) return layer.color;
  }
  return layers.front().color;
}

void draw_bars(DrawSink& sink, const Rect& area, const StepperPicture& p, const CachedCycles& walk,
               const std::vector<Layer>& layers) {
  const Metrics& m = p.metrics;
  const float small = sink.text_height(TextStyle::small);
  const Rect plot{area.x0 + m.px(64), area.y0, area.x1 - m.px(8), area.y1 - small - m.px(8)};
  const std::size_t last = walk.steps() - 1;
  const PlotAxis x{.high = static_cast<double>(last), .from = plot.x0, .to = plot.x1};
  const PlotAxis y{
      .high = static_cast<double>(walk.peak()) / kMebibytes * 1.04, .from = plot.y1, .to = plot.y0};
  draw_grid(sink, area.x0, p, x, y, p.theme.text3);
  const float width = plot.width() / static_cast<float>(walk.steps());
  for (std::size_t i = 0; i <= p.step; ++i) {
    const float left = plot.x0 + width * static_cast<float>(i);
    double below = 0;
    for (const Layer& layer : layers) {
      const double above =
          below + static_cast<double>(bytes_of(layer, walk.state(i).parts)) / kMebibytes;
      if (above > below)
        sink.fill({left, y.position(above), left + std::max(1.0F, width - 1), y.position(below)},
                  layer.color);
      below = above;
    }
  }
  sink.line({plot.x0, plot.y1}, {plot.x1, plot.y1}, p.theme.line);
}

// The addresses of all segments one after another, in rows; a row is the same part of the most that
// is ever reserved.
void draw_map(DrawSink& sink, const Rect& area, const StepperPicture& p, const CachedCycles& walk,
              const std::vector<Layer>& layers) {
  const float pitch = area.height() / static_cast<float>(kMapRows);
  const float height = pitch - p.metrics.px(4);
  const double row = std::max(1.0, static_cast<double>(walk.peak()) / kMapRows);
  for (int i = 0; i < kMapRows; ++i) {
    const float top = area.y0 + pitch * static_cast<float>(i);
    sink.fill({area.x0, top, area.x1, top + height}, p.theme.surface3);
  }
  const auto paint = [&](double from, double to, Color color) {
    while (from < to) {
      const double line = std::min(std::floor(from / row), double{kMapRows - 1});
      const double end = line + 1 < kMapRows ? std::min(to, (line + 1) * row) : to;
      const auto at = [&](double bytes) {
        return area.x0 +
               area.width() * static_cast<float>(std::min(1.0, (bytes - line * row) / row));
      };
      const float top = area.y0 + pitch * static_cast<float>(line);
      sink.fill({at(from), top, std::max(at(end), at(from) + 1), top + height}, color);
      from = end;
    }
  };
  double at = 0;
  for (const allocator::SegmentView& segment : walk.state(p.step).segments) {
    for (const auto& block : segment.blocks) {
      const double end = at + static_cast<double>(block.size);
      paint(at, end,
            block.allocated ? layers.front().color
                            : color_of(layers, part_of_piece(segment, block, walk.settings(),
                                                             allocator::Asked{walk.large(), 0})));
      at = end;
    }
  }
}

}  // namespace

void draw(DrawSink& sink, const Rect& area, const StepperPicture& picture,
          const CachedCycles& walk) {
  const Metrics& m = picture.metrics;
  const std::vector<Layer> layers = layers_of(picture.theme);
  const float small = sink.text_height(TextStyle::small);
  float x = area.x0;
  for (const Layer& layer : layers) {
    const std::string words =
        picture.texts(layer.key, {{"asked", text::bytes(walk.large()).joined()}});
    x = draw_key(sink, {x, area.y0}, picture.theme, m, layer.color, words);
  }
  const allocator::ReservedParts& parts = walk.state(picture.step).parts;
  const Rect words{area.x0, area.y0 + small + m.px(8), area.x1, area.y0 + 2 * small + m.px(12)};
  text_in(sink, words, TextStyle::small, picture.theme.text,
          picture.texts("stepper.cycles.now",
                        {{"reserved", text::bytes_in(parts.reserved, 'M').joined()},
                         {"requested", text::bytes_in(parts.requested, 'M').joined()}}));
  const float top = words.y1 + m.px(8);
  const float middle = top + (area.y1 - top) * 0.6F;
  draw_bars(sink, {area.x0, top, area.x1, middle - m.px(8)}, picture, walk, layers);
  const float map = middle + m.px(8);
  text_in(sink, {area.x0, map, area.x1, map + small}, TextStyle::small, picture.theme.text2,
          picture.texts("stepper.cycles.map"));
  draw_map(sink, {area.x0, map + small + m.px(6), area.x1 - m.px(8), area.y1}, picture, walk,
           layers);
}

}  // namespace ts::views::stepping
