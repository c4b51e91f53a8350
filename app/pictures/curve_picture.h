#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/pictures/graphics.h"
#include "core/base/result.h"
#include "core/run/run.h"
#include "core/spec/workload_traits.h"

namespace ts::app {

// Draws curves, light and in English, into NAME.png and NAME.svg of the folder. There must be
// curves. `graphics` must be current. `x_name`: see views::ResultCurveFigure.
base::Result<void> save_curve_figure(Graphics& graphics,
                                     const std::vector<run::ResultCurve>& curves,
                                     const spec::CurveAxes& axes,
                                     const std::filesystem::path& folder, const char* name,
                                     const std::string& x_name = {});
// Those of a run, as curves.png and curves.svg.
base::Result<void> save_curve_figure(Graphics& graphics, const run::Run& run,
                                     const std::filesystem::path& folder);

}  // namespace ts::app
