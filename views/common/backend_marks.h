#pragma once

#include "core/spec/workload_spec.h"
#include "views/common/draw_sink.h"
#include "views/common/theme.h"

namespace ts::views {

// Colour and marker of an attention backend, the same in every chart and list.
Color backend_color(ThemeKind theme, spec::AttentionBackend backend);
void draw_backend_mark(DrawSink& sink, spec::AttentionBackend backend, Point centre, float radius,
                       Color color);

}  // namespace ts::views
