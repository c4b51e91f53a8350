#pragma once

#include "core/snapshot/document.h"
#include "core/snapshot/snapshot_read.h"

namespace ts::snapshot {

// Makes a snapshot of what a file says. A value of the wrong type ends the list that it is in, the
// rest is still read; the first such place is the fault ("device_traces[0][17].size is a text, not
// a whole number").
SnapshotFile convert_snapshot(const Document& document, Document::Value root);

}  // namespace ts::snapshot
