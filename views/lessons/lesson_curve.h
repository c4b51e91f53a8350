#pragma once

#include <span>

#include "core/lessons/drawn_curve.h"
#include "core/text/text.h"
#include "views/charts/plot_axis.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The guess of a question that is answered by a drawn curve, and beside it, once they are known,
// the measured and the predicted curve. Both axes are logarithmic.
struct LessonCurve {
  const Theme& theme;
  Metrics metrics;
  const text::Texts& texts;
  const lessons::Lesson& lesson;
  lessons::Tier tier;
  std::span<const lessons::CurvePoint> guess;
  const lessons::FoundCurve* found = nullptr;  // null: it stays hidden
};

// Where the plot lies in the area, and its axes in pixels.
struct LessonCurvePlot {
  Rect plot;
  PlotAxis x, y;
};
LessonCurvePlot lesson_curve_plot(const DrawSink& sink, const Rect& area, const LessonCurve& curve);

// The height of the whole figure, in pixels.
float lesson_curve_height(Metrics metrics);
void draw_lesson_curve(DrawSink& sink, const Rect& area, const LessonCurve& curve);

}  // namespace ts::views
