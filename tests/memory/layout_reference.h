#pragma once

#include <vector>

#include "core/memory/active_memory_layout.h"

namespace ts::memory::testing {

// The layout by definition: each column on its own, each by scanning the whole log.
struct ReferenceLayout {
  struct Cell {
    std::int32_t row_begin = 0;
    std::int32_t row_end = 0;
    BlockIndex block = kNone;
    BlockIndex largest = kNone;
    Category category = Category::unknown;
    friend bool operator==(const Cell&, const Cell&) = default;
  };
  std::vector<ColumnTotal> columns;
  std::vector<std::vector<Cell>> cells;  // per column, from the bottom
  std::vector<std::int64_t> tracked;     // per column; -1: does not live
};

ReferenceLayout reference_layout(const AllocationLog& log, const LayoutRequest& request);

}  // namespace ts::memory::testing
