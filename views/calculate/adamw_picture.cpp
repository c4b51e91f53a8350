// AdamW: the parameter over the steps, and what this step is made of.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/stepper/step_table.h"
#include "views/calculate/stepper_picture.h"
#include "views/charts/plot_axis.h"

namespace ts::views::stepping {
namespace {

void draw_parameter(DrawSink& sink, const Rect& area, const StepperPicture& p,
                    const stepper::AdamW& walk) {
  const Metrics& m = p.metrics;
  const float small = sink.text_height(TextStyle::small);
  const Rect plot{area.x0 + m.px(52), area.y0 + small + m.px(8), area.x1 - m.px(8),
                  area.y1 - small - m.px(8)};
  double low = 0, high = 0;
  for (std::size_t i = 0; i < walk.steps(); ++i) {
    low = std::min(low, walk.state(i).p);
    high = std::max(high, walk.state(i).p);
  }
  const PlotAxis x{.high = static_cast<double>(walk.steps() - 1), .from = plot.x0, .to = plot.x1};
  const PlotAxis y{.low = low, .high = low + (high - low) * 1.05, .from = plot.y1, .to = plot.y0};
  draw_grid(sink, area.x0, p, x, y, p.theme.text2);
  std::vector<Point> path;
  for (std::size_t i = 0; i <= p.step; ++i)
    path.push_back({x.position(static_cast<double>(i)), y.position(walk.state(i).p)});
  if (path.size() > 1) sink.polyline(path, p.theme.accent, m.px(2));
  const Point last = path.back();
  sink.fill({last.x - m.px(4), last.y - m.px(4), last.x + m.px(4), last.y + m.px(4)},
            p.theme.accent, m.px(4));
  sink.text({plot.x0, area.y0}, TextStyle::small, p.theme.text2, p.texts("stepper.adamw.p"));
}

}  // namespace

void draw(DrawSink& sink, const Rect& area, const StepperPicture& picture,
          const stepper::AdamW& walk) {
  const Metrics& m = picture.metrics;
  const Theme& theme = picture.theme;
  const float split = area.x0 + area.width() * 0.52F;
  draw_parameter(sink, {area.x0, area.y0, split - m.px(16), area.y1}, picture, walk);
  const stepper::AdamW::State& now = walk.state(picture.step);
  struct Line {
    const char* name;  // key of its text
    double value;
    Color color;
  };
  const std::array<Line, 7> lines = {{{"stepper.adamw.g", now.g, theme.text2},
                                      {"stepper.adamw.m", now.m, theme.accent},
                                      {"stepper.adamw.m_hat", now.m_hat, theme.accent},
                                      {"stepper.adamw.v", std::sqrt(now.v), theme.warn},
                                      {"stepper.adamw.v_hat", std::sqrt(now.v_hat), theme.warn},
                                      {"stepper.adamw.decay", now.decay, theme.bad},
                                      {"stepper.adamw.update", now.update, theme.ok}}};
  constexpr std::size_t kMoments = 5;  // what a step takes off has a scale of its own
  double most = 1e-12;
  for (std::size_t i = 0; i < kMoments; ++i) most = std::max(most, std::abs(lines[i].value));
  const double most_step = std::max({std::abs(now.update), std::abs(now.decay), 1e-12});
  float y = area.y0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::array<Part, 1> part = {{{std::abs(lines[i].value), lines[i].color}}};
    y = draw_parts(sink, {split + m.px(8), y, area.x1, area.y1}, theme, m,
                   {.name = picture.texts(lines[i].name),
                    .remark = stepper::number_text(lines[i].value, stepper::Digits::value),
                    .parts = part,
                    .most = i < kMoments ? most : most_step});
  }
}

}  // namespace ts::views::stepping
