#pragma once

#include "views/charts/label_space.h"
#include "views/sweep/sweep_panel.h"

namespace ts::views {

// Points that took less time than their bounds have a ring in every plot that shows the bounds.
void ring_if_beaten(DrawSink& sink, const SweepScene& scene, LabelSpace& space, std::size_t point,
                    Point at);
// Over the plot, beside the unit of its axis: what the ring means, and why there are such points.
// Nothing where there are none.
void draw_beaten_note(DrawSink& sink, const SweepScene& scene, const PanelFrame& frame,
                      const std::string& unit);

}  // namespace ts::views
