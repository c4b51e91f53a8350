#pragma once

#include <string>

#include "core/io/text_table.h"
#include "core/sweep/sweep_results.h"

namespace ts::sweep {

// Every number of every point, one row each; times in ms, memory in bytes, plain digits for other
// programs. Cells of what was not measured are empty.
io::TextTable full_table(const Sweep& sweep);

// As the exercises hand it in: one row per place, in the order of the axes; time (of the step, and
// of forward and backward where both ran), tokens/s and peak memory of every series side by side.
// What did not run says why in its cell: OOM, too slow, failed, or a dash. Where nothing was
// measured at all, the predicted peaks. With one place only, one row per series with the parts of a
// step.
io::TextTable homework_table(const Sweep& sweep);

// "naive, T = 2,048".
std::string point_words(const Sweep& sweep, const SweepPoint& point);

// Why points did not run, one sentence each: "naive, T = 16,384: OOM. ...".
std::vector<std::string> reasons_of(const Sweep& sweep);

// The files of a hand-in. `caption` says what was measured on what, by which protocol.
std::string sweep_markdown(const Sweep& sweep, const std::string& caption, FitRange range = {});
std::string sweep_latex(const Sweep& sweep, const std::string& caption, FitRange range = {});

// "LM, T 256 to 2,048, naive and flash" and how it was measured, in one paragraph.
std::string sweep_caption(const Sweep& sweep, const std::string& device,
                          const std::string& versions);

// What the fits, crossovers and saturation say, one sentence each: "flash: step time grows as
// T^1.93 (95 % CI 1.85 to 2.01, r2 0.998, n = 5)".
std::vector<std::string> findings(const Sweep& sweep, FitRange range = {});

}  // namespace ts::sweep
