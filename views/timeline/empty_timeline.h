#pragma once

#include "views/common/draw_sink.h"
#include "views/common/view_state.h"

namespace ts::views {

// Content before the first run: what to press, and faintly the tracks that a run will fill, each
// with its meaning. Only as many tracks as fit into `area`.
void draw_empty_timeline(DrawSink& sink, const Rect& area, const ViewContext& context);

}  // namespace ts::views
