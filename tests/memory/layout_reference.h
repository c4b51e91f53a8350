#pragma once

#include <vector>

#include "core/memory/active_memory_layout.h"

namespace ts::memory::testing {

// The layout by definition: each column on its own, each by scanning the whole log.
struct ReferenceLayout {
  struct Cell {
    std::int64_t bottom = 0;
    std::int64_t top = 0;
    BlockIndex block = kNone;
    Category category = Category::unknown;
    friend bool operator==(const Cell&, const Cell&) = default;
  };
  std::vector<ColumnTotal> columns;
  std::vector<std::vector<Cell>> cells;  // per column, from the bottom
};

ReferenceLayout reference_layout(const AllocationLog& log, const LayoutRequest& request);

}  // namespace ts::memory::testing
