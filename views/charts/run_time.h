#pragma once

#include <cstdint>
#include <optional>

#include "core/run/run.h"
#include "views/common/memory_source.h"
#include "views/common/view_state.h"

namespace ts::allocator {
struct Snapshot;
}

namespace ts::views {

// False for a finished run without allocations, such as a trace that was recorded without them.
bool may_have_memory(const run::Run& run);

// The allocations to show: those of the context if it has a log, else those of its run. The log is
// null if there are neither.
MemorySource memory_source(const ViewContext& context);
// False where the times of the log count events: for a prediction, the file of one, and a snapshot
// that PyTorch wrote without times.
bool has_clock(const ViewContext& context, const MemorySource& source);

// True if the reference points to a slice of this store.
bool holds(const trace::TraceStore& store, trace::SliceRef ref);

// The slice that made an allocation: the deepest slice with the operator's name that covers the
// time, on any thread. Else the deepest operator that covers the time.
std::optional<trace::SliceRef> slice_of_allocation(const run::Run& run, std::int64_t time_ns,
                                                   base::StringId op);

}  // namespace ts::views
