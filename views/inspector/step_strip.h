#pragma once

#include <optional>
#include <vector>

#include "core/run/run.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The times of a run's unrecorded steps in order, warm-up first. They show what a mean hides.
struct StepStrip {
  struct Step {
    double ms = 0;
    bool warmup = false;
    bool outlier = false;  // far above the quartiles of the timed steps; it still counts
  };
  std::vector<Step> steps;
  double median_ms = -1;  // of the timed steps; negative: none yet
  double highest_ms = 0;
};
StepStrip step_strip(const run::Run& run);

// Bars from 0 to the slowest step, and the median as a line. If steps share a pixel, the slowest is
// shown. Returns the step whose bar contains `mouse`. Unit: pixels. UI thread.
std::optional<std::size_t> draw_step_strip(DrawSink& sink, const Theme& theme, const Rect& area,
                                           const StepStrip& strip, Point mouse);

}  // namespace ts::views
