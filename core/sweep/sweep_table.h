#pragma once

#include <string>

#include "core/io/text_table.h"
#include "core/sweep/sweep_results.h"

namespace ts::sweep {

// All numbers of every point, one row each; times in ms, memory in bytes, plain digits for other
// programs. Cells without a measurement are empty.
io::TextTable full_table(const Sweep& sweep);

// The table of the exercises: one row per place, in the order of the axes; time (of the step, and
// of its parts if forward and backward ran), tokens/s and peak memory of every series side by side.
// The cell of a point that did not run has the reason: OOM, too slow, failed, or a dash. If nothing
// was measured at all, the predicted peaks. With one place only, one row per series with mean and
// standard deviation of the parts of a step.
io::TextTable homework_table(const Sweep& sweep);

// The name of a point: "naive, T = 2,048".
std::string point_text(const Sweep& sweep, const SweepPoint& point);

// The Markdown and LaTeX files for the exercise. `caption` names the sweep, the device and the
// protocol.
std::string sweep_markdown(const Sweep& sweep, const std::string& caption, FitRange range = {});
std::string sweep_latex(const Sweep& sweep, const std::string& caption, FitRange range = {});

}  // namespace ts::sweep
