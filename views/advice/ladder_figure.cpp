#include "views/advice/ladder_figure.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/text/numbers.h"
#include "views/charts/chart_text.h"
#include "views/charts/plot_axis.h"

namespace ts::views {
namespace {

// At scale 1.
constexpr float kTitle = 26;
constexpr float kHeading = 22;
constexpr float kRow = 28;
constexpr float kNames = 190;
constexpr float kNumber = 76;  // room for the words behind a bar
constexpr float kGap = 24;     // between the two columns

// True if the times are those of this machine.
bool measured(const LadderFigure& figure) {
  return std::ranges::any_of(figure.rungs,
                             [](const advice::Rung& one) { return one.measured_s.has_value(); });
}

void dashed_box(DrawSink& sink, const Rect& box, Color color, Metrics metrics) {
  const std::array<Point, 5> path = {
      {{box.x0, box.y0}, {box.x1, box.y0}, {box.x1, box.y1}, {box.x0, box.y1}, {box.x0, box.y0}}};
  dashed_path(sink, path, color, metrics.px(1.2F), metrics.px(4), metrics.px(3));
}

// Where bars begin and how long the longest is.
struct Column {
  float from = 0;
  float room = 0;
  double most = 0;
  [[nodiscard]] float at(double value) const {
    return from + room * static_cast<float>(most > 0 ? value / most : 0);
  }
};

void draw_time(DrawSink& sink, const LadderFigure& figure, const Column& column, float top,
               const std::optional<double>& seconds, const std::optional<double>& before) {
  const Metrics& m = figure.metrics;
  const float y0 = top + m.px(6), y1 = top + m.px(kRow - 6);
  if (!seconds) return;
  const float end = column.at(*seconds);
  const float length = std::max(end, column.from + m.px(1));
  if (measured(figure)) {
    sink.fill({column.from, y0, length, y1}, figure.theme.accent);
  } else {
    // A bound, not a measurement.
    sink.fill({column.from, y0, length, y1}, figure.theme.surface3);
    sink.outline({column.from, y0, length, y1}, figure.theme.accent, m.px(1.2F));
  }
  float words = length;
  if (before && *before > *seconds) {
    words = column.at(*before);
    if (words - length > m.px(2)) {
      dashed_box(sink, {length, y0, words, y1}, figure.theme.text3, m);
    }
  }
  text_in(sink, {words + m.px(8), top, words + m.px(8 + kNumber), top + m.px(kRow)},
          TextStyle::small, figure.theme.text, text::duration_ns(*seconds * 1e9).joined());
}

void draw_memory(DrawSink& sink, const LadderFigure& figure, const Column& column, float top,
                 const advice::Rung& rung) {
  const Metrics& m = figure.metrics;
  if (!rung.asked.problem.empty()) return;
  const bool fits = rung.asked.answer.fit != predict::Fit::oom;
  const float end =
      std::max(column.at(static_cast<double>(rung.asked.answer.needed)), column.from + m.px(1));
  sink.fill({column.from, top + m.px(6), end, top + m.px(kRow - 6)},
            fits ? figure.theme.ok : figure.theme.bad);
  // Clear of the card's line.
  const float words = column.from + column.room + m.px(8);
  text_in(sink, {words, top, words + m.px(kNumber), top + m.px(kRow)}, TextStyle::small,
          figure.theme.text, text::bytes(rung.asked.answer.needed).joined());
}

}  // namespace

float ladder_figure_height(const LadderFigure& figure) {
  return figure.metrics.px(kTitle + kHeading + kRow * static_cast<float>(figure.rungs.size()));
}

void draw_ladder_figure(DrawSink& sink, const Rect& area, const LadderFigure& figure) {
  const Metrics& m = figure.metrics;
  const Theme& theme = figure.theme;
  const bool here = measured(figure);
  const auto time_of = [here](const advice::Rung& rung) {
    return here ? rung.measured_s : rung.seconds();
  };
  Column time, memory;
  memory.most = static_cast<double>(figure.target.memory);
  for (const advice::Rung& rung : figure.rungs) {
    time.most = std::max(time.most, time_of(rung).value_or(0));
    memory.most = std::max(memory.most, static_cast<double>(rung.asked.answer.needed));
  }
  const float half = (area.width() - m.px(kNames + kGap)) / 2;
  time.from = area.x0 + m.px(kNames);
  time.room = half - m.px(kNumber);
  memory.from = time.from + half + m.px(kGap);
  memory.room = half - m.px(kNumber);
  text_in(sink, {area.x0, area.y0, area.x1, area.y0 + m.px(kTitle)}, TextStyle::body_medium,
          theme.text, figure.texts("ladder.title", {{"target", figure.target.name}}));
  float y = area.y0 + m.px(kTitle);
  const float headings = y + m.px(kHeading);
  text_in(sink, {time.from, y, time.from + half, headings}, TextStyle::small, theme.text2,
          figure.texts(here ? "advice.column.measured" : "ladder.bound"));
  text_in(sink, {memory.from, y, area.x1, headings}, TextStyle::small, theme.text2,
          figure.texts("ladder.memory"));
  y = headings;
  const float card = memory.at(static_cast<double>(figure.target.memory));
  std::optional<double> before;
  for (const advice::Rung& rung : figure.rungs) {
    text_in(sink, {area.x0, y, time.from - m.px(8), y + m.px(kRow)}, TextStyle::small, theme.text,
            figure.texts("ladder.rung." + std::string(advice::to_string(rung.kind))));
    const auto seconds = time_of(rung);
    draw_time(sink, figure, time, y, seconds, before);
    draw_memory(sink, figure, memory, y, rung);
    if (!seconds) {
      text_in(sink, {time.from + m.px(8), y, area.x1, y + m.px(kRow)}, TextStyle::small,
              theme.text3,
              figure.texts(rung.asked.problem.key, std::span(rung.asked.problem.arguments)));
    }
    if (seconds) {
      before = seconds;
      sink.fill({time.from, y, time.from + m.px(1), y + m.px(kRow)}, theme.line);
      sink.fill({memory.from, y, memory.from + m.px(1), y + m.px(kRow)}, theme.line);
      sink.fill({card, y, card + m.px(1.5F), y + m.px(kRow)}, theme.warn);
    }
    y += m.px(kRow);
  }
}

}  // namespace ts::views
