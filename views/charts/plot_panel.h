#pragma once

#include <limits>
#include <span>
#include <string>

#include "views/charts/plot_axis.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

// The parts that charts with two axes share.
namespace ts::views {

struct PlotPanel {
  DrawSink& sink;
  const Theme& theme;
  Metrics metrics;
  Rect plot;  // pixels
};

// A line across the plot at each tick, the labels left of the plot at the distance `gap` (at scale
// 1), and the axis.
void draw_left_axis(const PlotPanel& panel, const PlotAxis& y, std::span<const Tick> ticks,
                    float gap = 8);
// The axis, its ticks, and the labels below it; none reaches beyond `end`, in pixels.
void draw_bottom_axis(const PlotPanel& panel, const PlotAxis& x, std::span<const Tick> ticks,
                      float gap = 7, float end = std::numeric_limits<float>::max());

// Names below groups of bars, from the left; a name that would touch the one before is left out.
class GroupNames {
 public:
  explicit GroupNames(const PlotPanel& panel);  // draws the axis
  void draw(float middle, const std::string& name, float end);

 private:
  const PlotPanel& panel_;
  float last_ = std::numeric_limits<float>::lowest();  // where the last one ends
};

// A line between the ends of an interval, with a cap across it at each end, `cap` pixels to both
// sides.
void draw_error_bar(DrawSink& sink, Point low, Point high, float cap, Color color, float thickness);

}  // namespace ts::views
