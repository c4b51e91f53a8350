#pragma once

#include <vector>

#include "core/base/message.h"
#include "core/run/run.h"

namespace ts::report {

// A cost of recording that is worth a word: from here on, in percent of a step, the timeline shows
// another step than the one that is timed.
inline constexpr double kCostTold = 10;

// Whether the whole interval of what recording costs lies at or above kCostTold.
bool recording_is_costly(const run::Run& run);

// What must be known before a recording's pictures are believed, a sentence each: records that were
// lost, and a high cost of recording. Empty where there is nothing to say.
std::vector<base::Message> recording_notes(const run::Run& run);

}  // namespace ts::report
