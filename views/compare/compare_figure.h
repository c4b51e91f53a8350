#pragma once

#include "core/run/compare.h"
#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The inputs of the figure of a comparison. No part of it may be kept.
struct CompareFigure {
  const run::Comparison& comparison;
  const text::Texts& texts;
  const Theme& theme;
  Metrics metrics;
};

// At the top a line for each part of a step: both medians, the ratio B / A as a point with its
// confidence interval on an axis around 1, and the verdict; peak memory below them. At the bottom
// the ratio of every pair in the order of measurement, with the median and its interval; left out
// if it would be too low to be read. Returns the height in pixels that all of it needs.
float draw_compare_figure(DrawSink& sink, const Rect& area, const CompareFigure& figure);

}  // namespace ts::views
