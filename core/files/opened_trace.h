#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/run/run.h"
#include "core/trace_file/trace_file.h"
#include "core/trace_file/trace_summary.h"

namespace ts::files {

// A trace of a profiler in the form of a run, so that the views of a run show it.
//
// Times count from the first event. Threads of the host have operators and annotations by nesting,
// calls of Python apart; the device's streams, the calls that launched their work, and the times in
// which no kernel ran are laid out as those of a run (capture::GpuTimeline). The whole trace is one
// step, so that tables hold all of it; the profiler's own steps lie below it.
struct OpenedTrace {
  std::filesystem::path path;
  run::Run run;                      // finished; `trace`, `launches` and `memory` mean something
  trace_file::TraceFile about;       // without its events, flows and memory events
  trace_file::TraceSummary summary;  // names in about.strings
};

// The error: there is nothing that lasts, so nothing to show.
base::Result<OpenedTrace> open_trace(trace_file::TraceFile file, run::RunId id);

// "[2, 3] fp32, [3, 4] fp32", as runs have it, from Kineto's "Input Dims" and "Input type".
std::string shapes_of(std::string_view dims, std::string_view types);

}  // namespace ts::files
