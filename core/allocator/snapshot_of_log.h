#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/allocator/allocator_settings.h"
#include "core/allocator/caching_allocator.h"
#include "core/allocator/snapshot.h"
#include "core/base/string_table.h"
#include "core/memory/allocation_log.h"

namespace ts::allocator {

struct SnapshotOfLogOptions {
  AllocatorSettings settings;
  // The device of the modelled allocator. It must serve everything that the run served, so its
  // capacity must be at least the rounded bytes of the run; unlimited fits every run.
  CachingAllocator::Device device;
  std::int64_t memory_limit = 0;    // the run's own limit, 0: not known; for its oom events
  std::int64_t unix_offset_ns = 0;  // Unix time minus the log's clock
  std::string user_metadata;        // added to every entry, shown by viewers; empty: none
};

// The snapshot that PyTorch would have recorded of a run: its allocations are placed by the model
// of the caching allocator, so that a run on the CPU shows segments and fragmentation too. A stack
// has the operator, the module path (innermost first), the phase and the step. Allocations have
// their category, calls to the device "unknown" (a viewer of PyTorch fails on files with categories
// but without that one). Phases are annotations. A setting of the file states that its segments are
// modelled. Texts come from `strings`.
Snapshot snapshot_of(const memory::AllocationLog& log, const base::StringTable& strings,
                     const SnapshotOfLogOptions& options = {});

// The user_metadata of a log that was predicted for a card. The times of such a log count events,
// so that a file with this note has no clock.
std::string predicted_note(std::string_view card);
bool has_predicted_note(const Snapshot& snapshot);
// False where times count events: in the file of a prediction, and where PyTorch wrote none.
bool has_clock(const Snapshot& snapshot);

}  // namespace ts::allocator
