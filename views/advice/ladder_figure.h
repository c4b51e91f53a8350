#pragma once

#include <vector>

#include "core/advice/ladder.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The ladder of optimisations as a waterfall: the time of a step of every rung, with what it saves
// of the rung below as an outline, and the memory that it needs beside the memory of the target.
struct LadderFigure {
  const Theme& theme;
  Metrics metrics;
  const text::Texts& texts;
  const std::vector<advice::Rung>& rungs;
  const predict::PredictionTarget& target;
};

float ladder_figure_height(const LadderFigure& figure);
// Starts at the top of the area.
void draw_ladder_figure(DrawSink& sink, const Rect& area, const LadderFigure& figure);

}  // namespace ts::views
