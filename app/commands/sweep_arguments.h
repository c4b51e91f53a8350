#pragma once

#include "app/commands/command_line.h"
#include "app/pictures/sweep_picture.h"
#include "core/spec/gpu_catalogue.h"
#include "core/sweep/sweep_spec.h"

namespace ts::app {

// What the arguments of tensorscope sweep mean. Errors are one sentence.

// The sweep itself: of a preset of the course, of axes and series, or of both.
base::Result<sweep::SweepSpec> spec_of(const SweepCommand& given,
                                       const spec::GpuCatalogue& catalogue);
// Whether the arguments say what is to be swept: --resume needs none of that.
bool describes_a_sweep(const SweepCommand& command);
// Whether --steps and --max-seconds, where they are given, are those of the sweep that is
// continued: points that were measured otherwise do not stand in one table.
base::Result<void> same_measuring(const SweepCommand& command, const sweep::SweepSpec& known);
// Size, look and language of the figure, and what is fitted.
base::Result<FigureOptions> figure_options(const SweepCommand& command);

}  // namespace ts::app
