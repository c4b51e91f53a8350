#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/string_table.h"
#include "core/text/text.h"
#include "core/trace/trace_store.h"
#include "views/charts/ticks.h"
#include "views/charts/time_axis.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"
#include "views/timeline/search_hits.h"
#include "views/timeline/slice_boxes.h"
#include "views/timeline/timeline_regions.h"
#include "views/timeline/track_rows.h"

namespace ts::views {

// Shared input of the drawing functions of the timeline.
struct TimelineDrawContext {
  DrawSink& sink;
  const Theme& theme;
  Metrics metrics;
  const base::StringTable& strings;
  const text::Texts& texts;
};

// Draws the boxes of one row. `labels`: write names into boxes that are wide enough. Slices that
// the search did not find are dimmed.
void draw_row(const TimelineDrawContext& drawing, std::span<const SliceBox> boxes,
              const SearchHits& search, bool labels);

// The name of a row, or where it is wider than `width` what of it has room: the number of a thread
// or stream goes last, before it the process of "rank 0: thread 1234 (python3.8)".
std::string row_name_within(std::string_view name, float width,
                            const std::function<float(std::string_view)>& measure);

// Draws the names of the tracks with their fold marks, and the lines between tracks. `scroll`
// pixels of the tracks are above the plot.
void draw_track_labels(const TimelineDrawContext& drawing, const trace::TraceStore& store,
                       const TimelineRegions& regions, const TrackRows& rows, float scroll);

// Tick marks with labels. A label that `taken` covers is left out.
void draw_ruler(const TimelineDrawContext& drawing, const Rect& ruler, const TimeAxis& axis,
                std::int64_t origin_ns, const Ticks& ticks, const Rect& taken);

// Vertical grid lines at the ticks.
void draw_grid(const TimelineDrawContext& drawing, const Rect& area, const TimeAxis& axis,
               std::int64_t origin_ns, const Ticks& ticks);

// The thin curve from a slice to its forward or backward partner, with an arrow head.
void draw_flow(const TimelineDrawContext& drawing, const Rect& clip, const Rect& from,
               const Rect& to);

}  // namespace ts::views
