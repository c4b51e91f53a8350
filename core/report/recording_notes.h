#pragma once

#include <vector>

#include "core/base/message.h"
#include "core/run/run.h"

namespace ts::report {

// The cost of recording, in percent of a step, from which it is reported: the timeline then shows
// another step than the one that is timed.
inline constexpr double kLeastCostShown = 10;

// True if the whole interval of the cost of recording lies at or above kLeastCostShown.
bool recording_is_costly(const run::Run& run);

// Warnings to read before a recording's pictures are trusted, a sentence each: lost records, and a
// high cost of recording. Empty if there are none.
std::vector<base::Message> recording_notes(const run::Run& run);

}  // namespace ts::report
