#pragma once

#include "core/text/text.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"
#include "views/common/view_state.h"

namespace ts::views {

// Before anything has run: what to press, and faintly the tracks that a run fills, each with what
// it will tell. As many of them as `area` has room for.
void draw_empty_timeline(DrawSink& sink, const Rect& area, const ViewContext& context);

}  // namespace ts::views
