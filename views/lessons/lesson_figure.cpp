#include "views/lessons/lesson_figure.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "views/charts/chart_text.h"
#include "views/charts/plot_axis.h"

namespace ts::views {
namespace {

// At scale 1.
constexpr float kTitle = 24;
constexpr float kBar = 18;
constexpr float kGap = 10;
constexpr float kNames = 96;

enum class Look : std::uint8_t { guess, measured, predicted, theory, simulated, published };

struct Bar {
  Look look = Look::measured;
  const char* name = "";  // key of its text
  double value = 0;
  std::string words;
};
struct Group {
  std::string title;
  std::vector<Bar> bars = {};
  double most = 0;
};

constexpr std::array<Look, lessons::kColumnCount> kTries = {
    Look::measured, Look::predicted, Look::theory, Look::simulated, Look::published};
constexpr std::array<const char*, lessons::kColumnCount> kNameKeys = {
    "lesson.report.measured", "lesson.report.predicted", "lesson.report.theory",
    "lesson.report.simulated", "lesson.report.published"};

Group group_of(const LessonFigure& figure, std::size_t index) {
  const lessons::Value& value = figure.lesson.values[index];
  Group group{.title = value.label.in(figure.texts.language())};
  const bool asked = figure.lesson.question && figure.lesson.question->value == value.id;
  const auto& cells = figure.findings.values[index].of;
  const auto known = [](const auto& one) { return one.has_value(); };
  if (asked && figure.guess && !figure.guess->choice && std::ranges::any_of(cells, known)) {
    group.bars.push_back(
        {Look::guess, "lesson.report.guess", figure.guess->number, figure.guess->text});
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i]) continue;
    group.bars.push_back(
        {kTries[i], kNameKeys[i], cells[i]->value, lessons::text_of(*cells[i], &value)});
  }
  for (const Bar& bar : group.bars) group.most = std::max(group.most, bar.value);
  return group;
}

std::vector<Group> groups_of(const LessonFigure& figure) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < figure.lesson.values.size(); ++i) {
    if (!lessons::in_tier(figure.lesson, figure.tier, figure.lesson.values[i])) continue;
    Group group = group_of(figure, i);
    const bool negative =
        std::ranges::any_of(group.bars, [](const Bar& bar) { return bar.value < 0; });
    if (group.bars.size() > 1 && group.most > 0 && !negative) groups.push_back(std::move(group));
  }
  return groups;
}

void dashed_box(DrawSink& sink, const Rect& box, Color color, Metrics metrics, float on) {
  const std::array<Point, 5> path = {
      {{box.x0, box.y0}, {box.x1, box.y0}, {box.x1, box.y1}, {box.x0, box.y1}, {box.x0, box.y0}}};
  dashed_path(sink, path, color, metrics.px(1.4F), metrics.px(on), metrics.px(3));
}

// Measured values are filled, others are outlines.
void draw_bar(DrawSink& sink, const Rect& box, Look look, const LessonFigure& figure) {
  const Theme& theme = figure.theme;
  switch (look) {
    case Look::measured:
      return sink.fill(box, theme.accent);
    case Look::published:
      return sink.fill(box, theme.text3);
    case Look::predicted:
      return dashed_box(sink, box, theme.text, figure.metrics, 4);
    case Look::theory:
      return dashed_box(sink, box, theme.text2, figure.metrics, 1.5F);
    case Look::simulated:
      return dashed_box(sink, box, theme.accent, figure.metrics, 6);
    case Look::guess:
      return dashed_box(sink, box, theme.warn, figure.metrics, 8);
  }
}

}  // namespace

float lesson_figure_height(const LessonFigure& figure) {
  float height = 0;
  for (const Group& group : groups_of(figure)) {
    height += kTitle + kBar * static_cast<float>(group.bars.size()) + kGap;
  }
  return figure.metrics.px(height);
}

void draw_lesson_figure(DrawSink& sink, const Rect& area, const LessonFigure& figure) {
  const Metrics& m = figure.metrics;
  float y = area.y0;
  for (const Group& group : groups_of(figure)) {
    sink.text({area.x0, y + m.px(2)}, TextStyle::body, figure.theme.text,
              fitted(sink, TextStyle::body, group.title, area.width()));
    y += m.px(kTitle);
    float widest = 0;
    for (const Bar& bar : group.bars) {
      widest = std::max(widest, sink.text_width(TextStyle::small, bar.words));
    }
    const float from = area.x0 + m.px(kNames);
    const float room = std::max(m.px(20), area.x1 - from - widest - m.px(12));
    for (const Bar& bar : group.bars) {
      const float length = room * static_cast<float>(bar.value / group.most);
      const Rect box{from, y + m.px(3), from + std::max(length, m.px(1)), y + m.px(kBar - 3)};
      text_in(sink, {area.x0, y, from - m.px(8), y + m.px(kBar)}, TextStyle::small,
              figure.theme.text2, figure.texts(bar.name));
      draw_bar(sink, box, bar.look, figure);
      text_in(sink, {box.x1 + m.px(8), y, area.x1 + m.px(8), y + m.px(kBar)}, TextStyle::small,
              figure.theme.text, bar.words);
      y += m.px(kBar);
    }
    sink.fill({from, y - m.px(kBar) * static_cast<float>(group.bars.size()), from + 1, y},
              figure.theme.line);
    y += m.px(kGap);
  }
}

}  // namespace ts::views
