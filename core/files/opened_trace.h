#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/report/checks.h"
#include "core/run/run.h"
#include "core/trace_file/trace_file.h"
#include "core/trace_file/trace_summary.h"

namespace ts::files {

// Whose memory a trace shows: that of one device, or of one process of the host, the first that has
// any.
struct ShownMemory {
  std::int32_t device = -1;  // -1: the host
  std::string rank = {};     // "rank 1" where traces of ranks became one
  std::int64_t places = 0;   // devices, or else processes, that have any
};

// A trace of a profiler in the form of a run, for the views of a run.
//
// Times count from the first event but the profiler's window, which is not shown; allocations and
// frees outside of the time of the events stand at its ends. Threads of the host have operators and
// annotations by nesting, Python calls separately. The device's streams, the calls that launched
// their work, and the times without a kernel are laid out as in a run
// (capture::GpuTimeline). The whole trace is one step, so that tables include all of it; the
// profiler's own steps are below it.
struct OpenedTrace {
  std::filesystem::path path;
  run::Run run;                      // finished; only `trace`, `launches` and `memory` are used
  trace_file::TraceFile about;       // without its events, flows, memory events and counters
  trace_file::TraceSummary summary;  // names in about.strings
  bool recording = false;            // of ours; then `run` has steps and phases, too
  std::vector<report::CheckResult> findings = {};  // in a recorded script, when it has ended
  ShownMemory memory = {};                         // of a foreign trace, in `run`
  std::vector<trace_file::Counter> counters = {};  // their times are those of `run`
};

// Errors: there are no events, so nothing to show; there are too many tracks.
base::Result<OpenedTrace> open_trace(trace_file::TraceFile file, run::RunId id);

// Converts Kineto's "Input Dims" and "Input type" to the form of runs: "[2, 3] fp32, [3, 4] fp32".
std::string shapes_of(std::string_view dims, std::string_view types);

}  // namespace ts::files
