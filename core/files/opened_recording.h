#pragma once

#include <memory>
#include <string_view>

#include "core/base/result.h"
#include "core/files/opened_trace.h"
#include "core/snapshot/snapshot_read.h"

namespace ts::files {

// A recording of ours in the form of a trace: timeline and memory as they were recorded.
base::Result<OpenedTrace> open_recording(std::string_view content, run::RunId id);

// The figures of a recording as a trace: tracks, counts and losses; operators and steps; and the
// mistakes of a script.
struct RecordingFigures {
  trace_file::TraceFile about;
  trace_file::TraceSummary summary;
  std::vector<report::CheckResult> findings;
};
// Makes the figures of a run that has ended. `bytes`: of the file. Any thread.
RecordingFigures figures_of(const run::Run& run, const std::shared_ptr<base::StringTable>& strings,
                            std::size_t bytes);

// The blocks of a run as a snapshot: what each line, module and operator holds. Its segments are
// modelled. `bytes`: of the file.
snapshot::SnapshotFile snapshot_of_run(const run::Run& run, const base::StringTable& strings,
                                       std::size_t bytes);

}  // namespace ts::files
