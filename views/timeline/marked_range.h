#pragma once

#include <cstdint>

#include "core/trace/trace_store.h"

namespace ts::views {

// Facts about a marked range.
struct MarkedFacts {
  std::uint64_t slices = 0;  // operators and kernels that touch the range, at every depth
  double busy = 0;           // part of the range in which at least one of them runs
  bool exact = true;         // false: too many to walk; counted from merged boxes
};

MarkedFacts facts_of_range(const trace::TraceStore& store, base::TimeRange range);

}  // namespace ts::views
