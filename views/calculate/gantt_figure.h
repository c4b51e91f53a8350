#pragma once

#include "core/simulate/simulation.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The timeline of a simulation: a row for each lane, a box for each interval, a scale of seconds
// below. Lanes for which the area is too low are left out.
struct GanttFigure {
  const Theme& theme;
  Metrics metrics;
  const simulate::Outcome& outcome;
};

// With all lanes.
float gantt_figure_height(const GanttFigure& figure);
void draw_gantt_figure(DrawSink& sink, const Rect& area, const GanttFigure& figure);

}  // namespace ts::views
