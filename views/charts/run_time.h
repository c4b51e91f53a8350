#pragma once

#include <cstdint>
#include <optional>

#include "core/base/clock.h"
#include "core/run/run.h"
#include "views/common/memory_source.h"
#include "views/common/view_state.h"

namespace ts::views {

// Everything there is to see of a run in time: slices and memory events together. Empty when there
// is nothing yet. Its begin is the zero of all times shown.
base::TimeRange run_range(const run::Run& run);

// The allocations to show: what the context names, else those of its run; log is null when there is
// neither.
MemorySource memory_source(const ViewContext& context);

// The reference names a slice of this store.
bool holds(const trace::TraceStore& store, trace::SliceRef ref);

// The slice that made an allocation: the deepest slice with the operator's name that covers the
// time, on any thread; else the deepest operator that does.
std::optional<trace::SliceRef> slice_of_allocation(const run::Run& run, std::int64_t time_ns,
                                                   base::StringId op);

}  // namespace ts::views
