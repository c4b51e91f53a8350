#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/stats/operator_calls.h"
#include "core/trace/trace_store.h"

namespace ts::stats {

struct LaunchedTime {
  std::vector<std::int64_t> direct_ns;  // of each call: kernels that no call inside it launched
  std::vector<std::int64_t> all_ns;     // the same, and those that calls inside it launched
  bool any_kernel = false;              // a GPU was recorded
};

// The time of the kernels, copies and fills that calls launched, summed up. A launch belongs to the
// innermost call that was open when it was made; of several threads to the call that began last.
// `calls` are those of operator_calls(). O(n log n).
LaunchedTime launched_time(const trace::TraceStore& trace, std::span<const OperatorCall> calls);

}  // namespace ts::stats
