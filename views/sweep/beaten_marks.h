#pragma once

#include "views/sweep/label_space.h"
#include "views/sweep/sweep_panel.h"

namespace ts::views {

// Draws a ring around a point that took less time than its bounds, in every plot that shows them.
void ring_if_beaten(DrawSink& sink, const SweepScene& scene, LabelSpace& space, std::size_t point,
                    Point at);
// Draws the meaning of the ring and the reason for such points over the plot, beside the unit of
// its axis. Draws nothing if there are none.
void draw_beaten_note(DrawSink& sink, const SweepScene& scene, const PanelFrame& frame,
                      const std::string& unit);

}  // namespace ts::views
