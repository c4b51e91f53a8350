#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/string_table.h"
#include "core/memory/allocation_log.h"

namespace ts::app {

// The memory that lives at a moment, by the line of the user's files that took it.
struct OwnLine {
  std::string line;  // "model.py:12"; empty: none is known
  std::int64_t bytes = 0;
  std::int64_t blocks = 0;
};
// As many are shown.
inline constexpr std::size_t kLinesShown = 8;
// The most bytes first, then by name. Empty for kNone.
std::vector<OwnLine> bytes_by_line(const memory::AllocationLog& log,
                                   const base::StringTable& strings, memory::EventIndex event);

}  // namespace ts::app
