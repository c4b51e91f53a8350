#pragma once

#include "core/base/file_range.h"
#include "core/snapshot/snapshot_read.h"

namespace ts::files {

// Leaves of a snapshot, that was read with the range or whole, what the range says: of each device
// the events inside, before them the allocations of what was alive when it begins, and the segments
// as they were at its end. So everything that is asked of a snapshot is asked of that moment.
// O(events), and what blocks::AllocatorHistory takes.
void cut(snapshot::SnapshotFile& file, const base::FileRange& range);

}  // namespace ts::files
