#pragma once

#include <vector>

#include "core/trace/trace_store.h"

namespace ts::trace {

// The tracks that have slices, in the order in which they are shown: phases, the tracks of each
// GPU, then CPU threads, autograd threads, Python, CUDA API and what else threads have. Of several
// ranks all this for one after the other, after the tracks of none.
std::vector<TrackId> tracks_in_order(const TraceStore& store);

}  // namespace ts::trace
