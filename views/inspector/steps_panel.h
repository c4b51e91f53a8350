#pragma once

#include "core/run/run.h"
#include "views/common/ui.h"

namespace ts::views {

// Every unrecorded step of a run as a bar, with the meaning of the colours, in the current Dear
// ImGui window. `height`: of the bars, in pixels. Nothing before the first step.
void draw_steps(const Ui& ui, const run::Run& run, float height);

}  // namespace ts::views
