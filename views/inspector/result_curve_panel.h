#pragma once

#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// The chart of the run's curves with its title, read-out and menu, in the current Dear ImGui
// window. Returns false if the run has none.
bool draw_result_curves(const Ui& ui, const ViewContext& context);

}  // namespace ts::views
