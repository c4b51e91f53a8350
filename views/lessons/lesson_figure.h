#pragma once

#include <optional>

#include "core/lessons/findings.h"
#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// Own guess, measured, predicted, theory and published of each value that has two of them, as bars
// from zero. Every value has a scale of its own: their units differ.
struct LessonFigure {
  const Theme& theme;
  Metrics metrics;
  const text::Texts& texts;
  const lessons::Lesson& lesson;
  lessons::Tier tier;
  const lessons::Findings& findings;
  const std::optional<lessons::Guess>& guess;
};

// 0: there is nothing to compare.
float lesson_figure_height(const LessonFigure& figure);
// From the top of the area on.
void draw_lesson_figure(DrawSink& sink, const Rect& area, const LessonFigure& figure);

}  // namespace ts::views
