#pragma once

#include "core/snapshot/document.h"
#include "core/snapshot/snapshot_read.h"

namespace ts::snapshot {

// Converts a file's document to a snapshot. A value of the wrong type ends the list that contains
// it; the rest is still read. The first such place is the fault ("device_traces[0][17].size is a
// text, not a whole number").
SnapshotFile convert_snapshot(Document& document, Document::Value root);

}  // namespace ts::snapshot
