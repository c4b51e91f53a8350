#pragma once

#include "app/commands/spec_arguments.h"
#include "app/pictures/sweep_picture.h"
#include "core/spec/gpu_catalogue.h"
#include "core/sweep/sweep_spec.h"

namespace ts::app {

struct SweepCommand {
  SpecArguments spec;
  std::vector<std::string> axes;      // "T=256:2048:x2", one or two
  std::vector<std::string> series;    // "backend=naive,flash"
  int steps = 0;                      // as in RunCommand
  std::optional<double> max_seconds;  // of one point; nothing: as SweepSpec has it
  std::optional<std::string> gpu;     // run and predict on this card
  bool predict = false;               // only that, run nothing
  bool resume = false;
  std::string fit;     // "T=512:2048": what is fitted; empty: everything
  std::string linear;  // axes of the figure that are linear whatever suits them: x, y or xy
  std::string log;     // likewise
  std::string size = "1920x1080";  // of the figure, as are theme and language
  std::string theme = "light";
  std::string language = "en";
  bool charts = false;  // each alone, too
  std::filesystem::path out;
  bool json = false;
};

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
