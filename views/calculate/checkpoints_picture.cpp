// Checkpointing: the inputs of the layers that live, and how many did at every step.
#include <algorithm>
#include <string>

#include "views/calculate/stepper_picture.h"
#include "views/charts/chart_text.h"

namespace ts::views::stepping {
namespace {

using stepper::Checkpoints;

void draw_layers(DrawSink& sink, const Rect& area, const StepperPicture& p,
                 const Checkpoints& walk) {
  const Checkpoints::State& now = walk.state(p.step);
  const auto count = static_cast<float>(walk.layers());
  const float width = area.width() / count;
  const float gap = width > 8 ? p.metrics.px(3) : 1;
  const float number = sink.text_height(TextStyle::small) + p.metrics.px(4);
  for (std::size_t i = 0; i < now.inputs.size(); ++i) {
    const float x = area.x0 + width * static_cast<float>(i);
    const Rect box{x, area.y0, x + width - gap, area.y1 - number};
    const Checkpoints::Input input = now.inputs[i];
    sink.fill(box,
              input == Checkpoints::Input::kept         ? p.theme.accent
              : input == Checkpoints::Input::recomputed ? p.theme.warn
                                                        : p.theme.surface3,
              p.metrics.px(2));
    if (static_cast<std::int64_t>(i) == now.layer)
      sink.outline({box.x0 - 1, box.y0 - 1, box.x1 + 1, box.y1 + 1}, p.theme.text,
                   p.metrics.px(2.5F));
    const std::string name = std::to_string(i + 1);
    const float wide = sink.text_width(TextStyle::small, name);
    if (wide < width)
      sink.text({(box.x0 + box.x1 - wide) / 2, box.y1 + p.metrics.px(4)}, TextStyle::small,
                p.theme.text2, name);
  }
}

// A bar for each step up to this one; the lines are the formula and the number without checkpoints.
void draw_live(DrawSink& sink, const Rect& area, const StepperPicture& p, const Checkpoints& walk) {
  const Metrics& m = p.metrics;
  const float small = sink.text_height(TextStyle::small);
  const Rect plot{area.x0, area.y0 + small + m.px(8), area.x1, area.y1};
  const auto most = static_cast<float>(std::max(walk.layers(), walk.formula())) * 1.05F;
  const auto y_of = [&](std::int64_t live) {
    return plot.y1 - plot.height() * static_cast<float>(live) / most;
  };
  const float width = plot.width() / static_cast<float>(walk.steps());
  for (std::size_t i = 0; i <= p.step; ++i) {
    const Checkpoints::State& one = walk.state(i);
    const float x = plot.x0 + width * static_cast<float>(i);
    const Color color = one.phase == Checkpoints::Phase::recompute  ? p.theme.warn
                        : one.phase == Checkpoints::Phase::backward ? p.theme.ok
                                                                    : p.theme.accent;
    sink.fill({x, y_of(one.live), x + std::max(1.0F, width - 1), plot.y1}, color);
  }
  const auto line = [&](std::int64_t at, Color color) {
    sink.line({plot.x0, y_of(at)}, {plot.x1, y_of(at)}, color, m.px(1.5F));
  };
  line(walk.layers(), p.theme.text3);
  line(walk.formula(), p.theme.bad);
  sink.line({plot.x0, plot.y1}, {plot.x1, plot.y1}, p.theme.line);
  const std::string words =
      p.texts("stepper.stack.live", {{"live", std::to_string(walk.state(p.step).live)},
                                     {"formula", std::to_string(walk.formula())},
                                     {"all", std::to_string(walk.layers())}});
  text_in(sink, {area.x0, area.y0, area.x1, area.y0 + small + m.px(4)}, TextStyle::small,
          p.theme.text, words);
}

}  // namespace

void draw(DrawSink& sink, const Rect& area, const StepperPicture& picture,
          const stepper::Checkpoints& walk) {
  const Metrics& m = picture.metrics;
  const Theme& theme = picture.theme;
  const float small = sink.text_height(TextStyle::small);
  float x = area.x0;
  x = draw_key(sink, {x, area.y0}, theme, m, theme.accent, picture.texts("stepper.stack.kept"));
  x = draw_key(sink, {x, area.y0}, theme, m, theme.warn, picture.texts("stepper.stack.recomputed"));
  draw_key(sink, {x, area.y0}, theme, m, theme.surface3, picture.texts("stepper.stack.gone"));
  const float top = area.y0 + small + m.px(10);
  const float middle = top + (area.y1 - top) * 0.34F;
  draw_layers(sink, {area.x0, top, area.x1, middle}, picture, walk);
  draw_live(sink, {area.x0, middle + m.px(16), area.x1, area.y1}, picture, walk);
}

}  // namespace ts::views::stepping
