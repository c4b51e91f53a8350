#pragma once

#include <cstdint>
#include <string>

#include "core/allocator/allocator_settings.h"
#include "core/allocator/caching_allocator.h"
#include "core/allocator/snapshot.h"
#include "core/base/string_table.h"
#include "core/memory/allocation_log.h"

namespace ts::allocator {

struct SnapshotOfLogOptions {
  AllocatorSettings settings;
  // Of the modelled allocator. What the run served must be served again, so no less than it took
  // with rounding; unlimited fits every run.
  CachingAllocator::Device device;
  std::int64_t memory_limit = 0;    // the run's own limit, 0: not known; for its oom events
  std::int64_t unix_offset_ns = 0;  // Unix time less the log's clock
  std::string user_metadata;        // of every entry, which viewers show; empty: none
};

// What PyTorch would have recorded of a run: its allocations placed by the model of the caching
// allocator, so that a run on the CPU shows segments and fragmentation too. A stack has the
// operator, the module path from the inside out, the phase and the step; allocations carry their
// category, the calls to the device "unknown" (a viewer of PyTorch fails on files that have
// categories and not that one); phases are annotations. A setting of the file says that its
// segments are modelled. Texts come from `strings`.
Snapshot snapshot_of(const memory::AllocationLog& log, const base::StringTable& strings,
                     const SnapshotOfLogOptions& options = {});

}  // namespace ts::allocator
