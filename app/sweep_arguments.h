#pragma once

#include "app/command_line.h"
#include "app/sweep_picture.h"
#include "core/run/gpu_catalogue.h"
#include "core/run/sweep_spec.h"

namespace ts::app {

// What the arguments of tensorscope sweep mean. Errors are one sentence.

// The sweep itself: of a preset of the course, of axes and series, or of both.
base::Result<run::SweepSpec> spec_of(const SweepCommand& given, const run::GpuCatalogue& catalogue);
// Whether the arguments say what is to be swept: --resume needs none of that.
bool describes_a_sweep(const SweepCommand& command);
// Size, look and language of the figure, and what is fitted.
base::Result<FigureOptions> figure_options(const SweepCommand& command);

}  // namespace ts::app
