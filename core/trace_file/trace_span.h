#pragma once

#include "core/trace_file/spans.h"
#include "core/trace_file/trace_file.h"

namespace ts::trace_file {

// First begin to last end of all events but the profiler's window, which may begin long before the
// first work and end long after the last; the window itself where there is nothing else.
Span span_of(const TraceFile& file);

}  // namespace ts::trace_file
