#pragma once

#include <optional>

#include "core/lessons/findings.h"
#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// Own guess, measured, predicted, theory and published value as bars from zero, for each quantity
// that has two of them. Each quantity has its own scale: their units differ.
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
// Starts at the top of the area.
void draw_lesson_figure(DrawSink& sink, const Rect& area, const LessonFigure& figure);

}  // namespace ts::views
