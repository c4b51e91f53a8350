#pragma once

#include "app/commands/own_commands.h"
#include "app/commands/spec_arguments.h"
#include "app/output/save_parts.h"
#include "app/pictures/sweep_picture.h"
#include "core/spec/gpu_catalogue.h"
#include "core/sweep/sweep_spec.h"

namespace ts::app {

struct SweepCommand {
  SpecArguments spec;
  std::vector<std::string> axes;      // "T=256:2048:x2", one or two
  std::vector<std::string> series;    // "backend=naive,flash"
  int steps = 0;                      // as in RunCommand
  std::optional<double> max_seconds;  // of one point; unset: as in SweepSpec
  std::optional<std::string> gpu;     // run and predict on this card
  bool predict = false;               // predict only, run nothing
  bool resume = false;
  std::string fit;                 // "T=512:2048": what is fitted; empty: everything
  std::string linear;              // axes of the figure that are forced to be linear: x, y or xy
  std::string log;                 // axes that are forced to be logarithmic
  std::string size = "1920x1080";  // of the figure, as are theme and language
  std::string theme = "light";
  std::string language = "en";
  bool charts = false;  // also each chart alone
  std::filesystem::path out;
  std::string parts = SaveParts(kPartsOfMany).names();  // of what is written there
  bool json = false;
  OwnOptions own;
};

// Functions that interpret the arguments of tensorscope sweep. Errors are one sentence.

// The sweep itself: from a preset of the course, from axes and series, or from both.
base::Result<sweep::SweepSpec> spec_of(const SweepCommand& given,
                                       const spec::GpuCatalogue& catalogue);
// True if the arguments describe a sweep; --resume needs no description.
bool describes_a_sweep(const SweepCommand& command);
// Checks that --steps and --max-seconds, if given, match the sweep that is continued: points that
// were measured differently must not be in one table.
base::Result<void> same_measuring(const SweepCommand& command, const sweep::SweepSpec& known);
// Exactly so many timed steps, or pairs of steps.
void take_steps(run::Protocol& protocol, int steps);
// Size, look and language of the figure, and what is fitted.
base::Result<FigureOptions> figure_options(const SweepCommand& command);

}  // namespace ts::app
