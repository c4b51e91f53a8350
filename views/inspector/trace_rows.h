#pragma once

#include <cstdint>
#include <vector>

#include "views/inspector/file_rows.h"
#include "views/inspector/inspector_rows.h"

namespace ts::views {

// How many calls of operators and kernels the opened trace has.
struct TraceCalls {
  std::int64_t operators = 0;
  std::int64_t kernels = 0;
};
TraceCalls trace_calls(const ViewContext& context);

// Facts of an opened trace. Empty if none is shown.
std::vector<InspectorRow> trace_rows(const ViewContext& context);
// Calls and GPU time in a step of the profiler, for a slice that shows one; else empty.
std::vector<InspectorRow> step_rows(const ViewContext& context, const trace::Slice& slice);
// The share of time in which the device was busy, or the length of the trace.
FileVerdict trace_verdict(const ViewContext& context);

}  // namespace ts::views
