#pragma once

#include <vector>

#include "core/memory/active_memory_layout.h"

namespace ts::memory {

// The state that each column of a layout shows (see ColumnTotal). Events never decrease from one
// column to the next. O(columns + events in the range).
std::vector<ColumnTotal> sample_columns(const AllocationLog& log, const LayoutRequest& request);

}  // namespace ts::memory
