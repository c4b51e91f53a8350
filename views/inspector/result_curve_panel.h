#pragma once

#include "core/run/engine.h"
#include "core/spec/workload_traits.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// The chart of these curves with its title, read-out and menu, in the current Dear ImGui window.
// `plot_height`: of the chart without its list of names, at scale 1; 0: the usual one.
void draw_result_curves(const Ui& ui, const run::ExecutionFacts& facts, const spec::CurveAxes& axes,
                        float plot_height);

// The same for the curves of the run; false: it has none.
bool draw_result_curves(const Ui& ui, const ViewContext& context);

}  // namespace ts::views
