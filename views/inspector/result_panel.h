#pragma once

#include <cstdint>
#include <optional>

#include "core/run/run.h"
#include "views/common/ui.h"
#include "views/common/view_state.h"

namespace ts::views {

// The result of a run that says more than its memory.
enum class RunResult : std::uint8_t {
  curves,      // the numbers of a workload that is about them
  loss_scale,  // of a gradient scaler, step by step
  steps        // every step: a run with a fixed number of warm-up steps is about the first ones
};
// Unset: there is none, or not yet.
std::optional<RunResult> result_of(const run::Run& run);

// The loss scale of every step in order, as a power of two over the number of the step.
run::ResultCurve loss_scale_curve(const run::Run& run);

// Draws it over the whole of the current Dear ImGui window; faded if the run is of other settings
// than those of now. `context` has the run.
void draw_result(const Ui& ui, const ViewContext& context, RunResult result);

}  // namespace ts::views
