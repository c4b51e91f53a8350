// Sums in low precision: the running sums, and for each kind of sum the numbers of its type around
// it, with what the addition of this step wanted and what it got.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "core/stepper/step_table.h"
#include "core/text/numbers.h"
#include "views/calculate/stepper_picture.h"
#include "views/charts/chart_text.h"
#include "views/charts/plot_axis.h"

namespace ts::views::stepping {
namespace {

using stepper::Digits;
using stepper::LowPrecisionSum;
using stepper::number_text;

constexpr std::size_t kKindCount = LowPrecisionSum::kKinds.size();

std::array<Color, kKindCount> colors(const Theme& theme) {
  return {theme.ok, theme.accent, theme.bad, theme.warn};
}

void draw_sums(DrawSink& sink, const Rect& area, const StepperPicture& p,
               const LowPrecisionSum& walk) {
  const Metrics& m = p.metrics;
  const float small = sink.text_height(TextStyle::small);
  const Rect plot{area.x0 + m.px(48), area.y0 + small + m.px(8), area.x1 - m.px(8),
                  area.y1 - small - m.px(8)};
  const std::size_t last = walk.steps() - 1;
  double most = walk.exact(last);
  for (const double one : walk.sums(last)) most = std::max(most, one);
  const PlotAxis x{.high = static_cast<double>(last), .from = plot.x0, .to = plot.x1};
  const PlotAxis y{.high = most * 1.04, .from = plot.y1, .to = plot.y0};
  draw_grid(sink, area.x0, p, x, y, p.theme.text3);
  sink.line({plot.x0, plot.y1}, {plot.x1, plot.y1}, p.theme.line);
  dashed_line(sink, {x.position(0), y.position(0)},
              {x.position(x.high), y.position(walk.exact(last))}, p.theme.text2, m.px(1.2F),
              m.px(2), m.px(3));
  const std::size_t stride = std::max<std::size_t>(1, last / 600);
  const std::array<Color, kKindCount> look = colors(p.theme);
  for (std::size_t kind = 0; kind < kKindCount; ++kind) {
    std::vector<Point> path;
    for (std::size_t i = 0; i < p.step; i += stride)
      path.push_back({x.position(static_cast<double>(i)), y.position(walk.sums(i)[kind])});
    path.push_back({x.position(static_cast<double>(p.step)), y.position(walk.sums(p.step)[kind])});
    if (path.size() > 1) sink.polyline(path, look[kind], m.px(2));
    const Point at = path.back();
    sink.fill({at.x - m.px(3), at.y - m.px(3), at.x + m.px(3), at.y + m.px(3)}, look[kind],
              m.px(3));
  }
  float key = plot.x0;
  for (std::size_t kind = 0; kind < kKindCount; ++kind)
    key =
        draw_key(sink, {key, area.y0}, p.theme, m, look[kind], LowPrecisionSum::kKinds[kind].name);
  const std::string exact = p.texts("stepper.sums.exact");
  sink.text({plot.x1 - sink.text_width(TextStyle::small, exact), plot.y1 - small - m.px(6)},
            TextStyle::small, p.theme.text2, exact);
}

// The numbers that the type has around the sum, and where the exact sum of this step falls.
void draw_line(DrawSink& sink, const Rect& area, const StepperPicture& p,
               const LowPrecisionSum& walk, std::size_t kind) {
  const Metrics& m = p.metrics;
  const auto& of = LowPrecisionSum::kKinds[kind];
  const Color color = colors(p.theme)[kind];
  const double after = walk.sums(p.step)[kind];
  const double before = p.step == 0 ? 0 : walk.sums(p.step - 1)[kind];
  const double wanted = p.step == 0 ? 0 : before + walk.term_in(kind);
  const double step = stepper::spacing(std::max(after, before), of.sum);
  const float line = sink.text_height(TextStyle::body);
  const Rect head{area.x0, area.y0, area.x1, area.y0 + line};
  text_in(sink, head, TextStyle::body_medium, color, of.name);
  text_right(
      sink, head, TextStyle::body, p.theme.text,
      p.texts("stepper.sums.now", {{"sum", number_text(after, Digits::value)},
                                   {"lost", number_text(walk.lost(p.step, kind), Digits::small)}}));
  const float y = area.y0 + line + m.px(16);
  // Three to seven numbers of the type, or so many that they are a line.
  const double span = std::max(walk.term_in(kind), step) * 2.4;
  const double low = std::max(0.0, before - span * 0.35), high = low + span;
  const auto x_of = [&](double value) {
    return area.x0 + area.width() * static_cast<float>((value - low) / (high - low));
  };
  sink.line({area.x0, y}, {area.x1, y}, p.theme.line);
  const double count = span / step;
  if (count < 60) {
    for (double at = std::ceil(low / step) * step; at <= high; at += step)
      sink.line({x_of(at), y - m.px(4)}, {x_of(at), y + m.px(4)}, p.theme.text3, m.px(1.2F));
  } else {
    sink.fill({area.x0, y - m.px(4), area.x1, y + m.px(4)}, p.theme.surface3);
  }
  if (p.step > 0) {
    sink.line({x_of(before), y - m.px(8)}, {x_of(wanted), y - m.px(8)}, p.theme.text2, m.px(2));
    sink.triangle({x_of(wanted), y - m.px(2)}, {x_of(wanted) - m.px(4), y - m.px(10)},
                  {x_of(wanted) + m.px(4), y - m.px(10)}, p.theme.text2);
    sink.outline({x_of(before) - m.px(4), y - m.px(4), x_of(before) + m.px(4), y + m.px(4)}, color,
                 m.px(1.5F), m.px(4));
  }
  sink.fill({x_of(after) - m.px(4), y - m.px(4), x_of(after) + m.px(4), y + m.px(4)}, color,
            m.px(4));
  text_right(sink,
             {area.x0, y + m.px(6), area.x1, y + m.px(6) + sink.text_height(TextStyle::small)},
             TextStyle::small, p.theme.text3,
             p.texts("stepper.sums.spacing", {{"spacing", number_text(step, Digits::small)}}));
}

}  // namespace

void draw(DrawSink& sink, const Rect& area, const StepperPicture& picture,
          const LowPrecisionSum& walk) {
  const Metrics& m = picture.metrics;
  const float split = area.x0 + area.width() * 0.52F;
  draw_sums(sink, {area.x0, area.y0, split - m.px(16), area.y1}, picture, walk);
  const float height = (area.height()) / static_cast<float>(kKindCount);
  for (std::size_t kind = 0; kind < kKindCount; ++kind) {
    const float y = area.y0 + height * static_cast<float>(kind);
    draw_line(sink, {split + m.px(8), y, area.x1 - m.px(6), y + height}, picture, walk, kind);
  }
}

}  // namespace ts::views::stepping
