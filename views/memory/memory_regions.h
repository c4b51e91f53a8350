#pragma once

#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// The places of the parts of the memory view inside its panel. Parts without room are empty: the
// live list is removed first, then the step labels. The plot stays.
struct MemoryRegions {
  Rect all;
  Rect title;
  Rect legend;  // below the title; empty: it is in the title row
  Rect y_labels;
  Rect bands;  // phases, over the plot
  Rect plot;
  Rect x_labels;
  Rect steps;  // under the x labels
  Rect map;    // under them: the whole time
  Rect hint;   // under everything: what the mouse does
  Rect list;   // beside the plot
  [[nodiscard]] bool has_legend() const { return legend.height() > 0; }
  [[nodiscard]] bool has_list() const { return list.width() > 0; }
  [[nodiscard]] bool has_map() const { return map.height() > 0; }
  [[nodiscard]] bool has_steps() const { return steps.height() > 0; }
};

// `legend_row`: the legend gets a row of its own. `of_file`: with a map and a hint, which another
// view on the page has for a run.
MemoryRegions lay_out_memory(const Rect& area, Metrics metrics, bool legend_row = false,
                             bool of_file = false);

}  // namespace ts::views
