#pragma once

#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The places of the parts of the timeline inside its panel. Parts without room are empty: the
// minimap is removed first, then the counter. Tracks stay.
struct TimelineRegions {
  Rect all;
  Rect title;
  Rect legend;  // below the title; empty: it is in the title row
  Rect map_label, map;
  Rect ruler_label, ruler;
  Rect labels, plot;  // tracks
  Rect counter_label, counter;
  // Everything below the title that shares the time axis.
  [[nodiscard]] Rect body() const {
    return {plot.x0, ruler.y0, plot.x1, has_counter() ? counter.y1 : all.y1};
  }
  [[nodiscard]] bool has_legend() const { return legend.height() > 0; }
  [[nodiscard]] bool has_map() const { return map.height() > 0; }
  [[nodiscard]] bool has_counter() const { return counter.height() > 0; }
};

// `legend_row`: the legend gets a row of its own. Without memory there is no counter.
TimelineRegions lay_out_timeline(const Rect& area, Metrics metrics, bool legend_row = false,
                                 bool has_memory = true);

// Gives room that the tracks do not need to the counter, which moves up to them.
void give_room_to_counter(TimelineRegions& regions, float tracks_height, Metrics metrics);

}  // namespace ts::views
