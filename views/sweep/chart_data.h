#pragma once

#include "core/io/text_table.h"
#include "views/sweep/sweep_figure.h"

namespace ts::views {

// The numbers of a chart, one row a point, columns named with their units; empty cells if there is
// no number. For the findings: one row a sentence, in the language of the figure.
io::TextTable chart_data(SweepChart chart, const sweep::Sweep& sweep, const SweepAnalysis& analysis,
                         const text::Texts& texts);

}  // namespace ts::views
