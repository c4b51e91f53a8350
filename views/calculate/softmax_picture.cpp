// Online softmax: the scores of the row with the running maximum, their weights, and the output.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/stepper/step_table.h"
#include "views/calculate/stepper_picture.h"
#include "views/charts/chart_text.h"
#include "views/charts/plot_axis.h"

namespace ts::views::stepping {
namespace {

using stepper::Digits;
using stepper::number_text;
using stepper::OnlineSoftmax;

struct Keys {
  Rect area;
  float width = 0;
  float gap = 0;
  [[nodiscard]] Rect at(std::size_t key, float y0, float y1) const {
    const float x = area.x0 + width * static_cast<float>(key);
    return {x, y0, x + width - gap, y1};
  }
};

Keys keys_of(const Rect& area, std::size_t count) {
  const float width = area.width() / static_cast<float>(count);
  return {area, width, width > 6 ? 2.0F : width > 3 ? 1.0F : 0.0F};
}

void draw_title(DrawSink& sink, const Rect& area, const StepperPicture& p, std::string_view words,
                std::string_view right) {
  const float height = sink.text_height(TextStyle::body_medium);
  const Rect line{area.x0, area.y0, area.x1, area.y0 + height};
  text_in(sink, line, TextStyle::body_medium, p.theme.text, words);
  text_right(sink, line, TextStyle::body_medium, p.theme.text, right);
}

// Bars from zero; the block of this step in the accent, what was seen before muted, what is masked
// as an empty frame.
void draw_scores(DrawSink& sink, const Rect& area, const StepperPicture& p,
                 const OnlineSoftmax& walk) {
  const OnlineSoftmax::State& now = walk.state(p.step);
  const std::vector<double>& scores = walk.scores();
  const float title = sink.text_height(TextStyle::body_medium) + p.metrics.px(6);
  const Rect plot{area.x0, area.y0 + title, area.x1, area.y1 - p.metrics.px(8)};
  draw_title(sink, area, p, p.texts("stepper.softmax.scores"),
             "m = " + number_text(now.m, Digits::value));
  const auto [least, most] = std::ranges::minmax(scores);
  const double low = std::min(0.0, least), high = std::max(0.0, most);
  const auto y_of = [&](double value) {
    return plot.y1 - plot.height() * static_cast<float>((value - low) / (high - low + 1e-12));
  };
  const Keys keys = keys_of(plot, scores.size());
  const auto visible = static_cast<std::size_t>(walk.visible());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const float a = y_of(0), b = y_of(scores[i]);
    const Rect bar = keys.at(i, std::min(a, b), std::max(a, b));
    const auto key = static_cast<std::int64_t>(i);
    const bool block = key >= now.first && key < now.first + now.count;
    if (i >= visible) {
      sink.outline(bar, p.theme.line);
    } else {
      sink.fill(bar, block         ? p.theme.accent
                     : now.seen[i] ? mixed(p.theme.surface, p.theme.accent, 0.45F)
                                   : p.theme.surface3);
    }
  }
  sink.line({plot.x0, y_of(0)}, {plot.x1, y_of(0)}, p.theme.line);
  const auto block = static_cast<std::size_t>(walk.block());
  for (std::size_t i = block; i < scores.size() && keys.width * static_cast<float>(block) > 5;
       i += block) {
    const float x = keys.at(i, 0, 0).x0 - keys.gap / 2;
    sink.line({x, plot.y0}, {x, plot.y1}, p.theme.grid);
  }
  if (!std::isfinite(now.m)) return;
  dashed_line(sink, {plot.x0, y_of(now.m)}, {plot.x1, y_of(now.m)}, p.theme.warn,
              p.metrics.px(1.6F), p.metrics.px(6), p.metrics.px(3));
}

// exp(score - m): all that were seen before shrink when the maximum moves.
void draw_weights(DrawSink& sink, const Rect& area, const StepperPicture& p,
                  const OnlineSoftmax& walk) {
  const OnlineSoftmax::State& now = walk.state(p.step);
  const float title = sink.text_height(TextStyle::body_medium) + p.metrics.px(6);
  const Rect plot{area.x0, area.y0 + title, area.x1, area.y1 - p.metrics.px(8)};
  const std::string factor = now.count > 0 ? number_text(now.shrink, Digits::value) : "1";
  draw_title(sink, area, p, p.texts("stepper.softmax.weights"),
             "l = " + number_text(now.l, Digits::value) + "   \xc3\x97 " + factor);
  const Keys keys = keys_of(plot, now.weights.size());
  sink.line({plot.x0, plot.y1}, {plot.x1, plot.y1}, p.theme.line);
  for (std::size_t i = 0; i < now.weights.size(); ++i) {
    const float top = plot.y1 - plot.height() * static_cast<float>(now.weights[i]);
    const float before =
        plot.y1 - plot.height() * static_cast<float>(now.weights[i] / std::max(now.shrink, 1e-9));
    const auto key = static_cast<std::int64_t>(i);
    const bool block = key >= now.first && key < now.first + now.count;
    if (!block && now.seen[i] && now.shrink < 1 && now.count > 0)
      sink.outline(keys.at(i, std::max(before, plot.y0), plot.y1), p.theme.text3);
    sink.fill(keys.at(i, top, plot.y1),
              block ? p.theme.accent : mixed(p.theme.surface, p.theme.accent, 0.6F));
  }
}

// acc, divided by l, beside softmax over the whole row at once.
void draw_output(DrawSink& sink, const Rect& area, const StepperPicture& p,
                 const OnlineSoftmax& walk) {
  const OnlineSoftmax::State& now = walk.state(p.step);
  const float title = sink.text_height(TextStyle::body_medium) + p.metrics.px(6);
  draw_title(sink, area, p,
             now.divided ? p.texts("stepper.softmax.output") : p.texts("stepper.softmax.acc"), "");
  std::vector<float> acc(now.acc.begin(), now.acc.end());
  const float cell = (area.width() - p.metrics.px(24)) / static_cast<float>(acc.size());
  const float height = sink.text_height(TextStyle::body) + p.metrics.px(14);
  for (std::size_t i = 0; i < acc.size(); ++i) {
    const float x = area.x0 + (cell + p.metrics.px(8)) * static_cast<float>(i);
    const Rect box{x, area.y0 + title, x + cell, area.y0 + title + height};
    sink.fill(box, p.theme.surface3, p.metrics.px(4));
    const std::string words = number_text(now.acc[i], Digits::value);
    const float wide = sink.text_width(TextStyle::body, words);
    sink.text({(box.x0 + box.x1 - wide) / 2, box.y0 + p.metrics.px(7)}, TextStyle::body,
              p.theme.text, words);
  }
  if (p.step == 0) return;
  const float line = sink.text_height(TextStyle::body) + p.metrics.px(4);
  float y = area.y0 + title + height + p.metrics.px(10);
  const bool wrong = now.divided && now.error_all > 1e-9;
  text_in(sink, {area.x0, y, area.x1, y + line}, TextStyle::body, p.theme.text2,
          p.texts("stepper.softmax.error_seen",
                  {{"error", number_text(now.error_seen, Digits::small)}}));
  y += line;
  text_in(
      sink, {area.x0, y, area.x1, y + line}, TextStyle::body, wrong ? p.theme.bad : p.theme.text2,
      p.texts("stepper.softmax.error_all", {{"error", number_text(now.error_all, Digits::small)}}));
}

}  // namespace

void draw(DrawSink& sink, const Rect& area, const StepperPicture& picture,
          const OnlineSoftmax& walk) {
  const Metrics& m = picture.metrics;
  const float small = sink.text_height(TextStyle::small);
  const float output =
      sink.text_height(TextStyle::body_medium) + 3 * sink.text_height(TextStyle::body) + m.px(46);
  const float half = (area.height() - output - small - m.px(14)) / 2;
  float x = area.x0;
  const Theme& theme = picture.theme;
  x = draw_key(sink, {x, area.y0}, theme, m, theme.accent, picture.texts("stepper.softmax.block"));
  x = draw_key(sink, {x, area.y0}, theme, m, mixed(theme.surface, theme.accent, 0.45F),
               picture.texts("stepper.softmax.seen"));
  x = draw_key(sink, {x, area.y0}, theme, m, theme.surface3,
               picture.texts("stepper.softmax.ahead"));
  if (walk.visible() < static_cast<std::int64_t>(walk.scores().size()))
    draw_key(sink, {x, area.y0}, theme, m, theme.surface, picture.texts("stepper.softmax.masked"));
  const float y = area.y0 + small + m.px(10);
  draw_scores(sink, {area.x0, y, area.x1, y + half}, picture, walk);
  draw_weights(sink, {area.x0, y + half, area.x1, y + 2 * half}, picture, walk);
  draw_output(sink, {area.x0, area.y1 - output + m.px(8), area.x1, area.y1}, picture, walk);
}

}  // namespace ts::views::stepping
