#pragma once

#include "core/spec/workload_spec.h"
#include "views/common/marks.h"
#include "views/common/theme.h"

namespace ts::views {

// Colour and mark of an attention backend, the same in every chart and list.
Color backend_color(ThemeKind theme, spec::AttentionBackend backend);
MarkShape backend_shape(spec::AttentionBackend backend);

}  // namespace ts::views
