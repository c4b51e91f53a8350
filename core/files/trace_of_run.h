#pragma once

#include "core/base/string_table.h"
#include "core/run/run.h"
#include "core/trace_file/trace_file.h"

namespace ts::files {

// A run as a trace in Kineto's terms, to be written by trace_file::write_trace(), so that tools for
// torch.profiler accept it: operators with the shapes of their inputs, launches on the thread of
// the operator that made them, kernels with their launches, steps as "ProfilerStep#N". Phases and
// modules are annotations. Times count from the first event.
trace_file::TraceFile trace_of_run(const run::Run& run, const base::StringTable& strings);

}  // namespace ts::files
