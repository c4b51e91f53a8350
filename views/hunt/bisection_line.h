#pragma once

#include <span>
#include <vector>

#include "core/predict/hunt.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// A probe of a bisection on its number line, x in pixels.
struct LineStop {
  std::int64_t value = 0;
  predict::Fit fit = predict::Fit::fits;
  float x = 0;
  float label_x = 0;  // left end of its label
  bool labelled = false;
};

// The probes of one axis inside the first bracket around the edge, by value over the width of
// `area`; all of them if there is no edge. The scale is logarithmic, because the search for a
// bracket doubles. Both sides of the edge are labelled, the others if there is room. Empty for
// fewer than two values.
std::vector<LineStop> bisection_stops(const DrawSink& sink, Metrics metrics, const Rect& area,
                                      std::span<const predict::HuntProbe> probes);

// Green where it fits, red where it does not, and a mark and a number for each probe. It shows how
// the brackets approach the edge.
void draw_bisection_line(DrawSink& sink, const Theme& theme, Metrics metrics, const Rect& area,
                         std::span<const LineStop> stops);

}  // namespace ts::views
