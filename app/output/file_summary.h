#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/output/file_question.h"
#include "core/base/result.h"
#include "core/files/opened_file.h"
#include "core/files/opened_trace.h"
#include "core/trace_file/trace_summary.h"

namespace ts::app {

// The summary of a file, as `summary --json` prints it. Sizes in bytes, times in microseconds.
//   snapshot: kind, format, bytes, events, actions {name: count}, segments, peak_allocated,
//     peak_reserved (of the device where they are largest, peak_allocated_device and
//     peak_reserved_device; null: nothing was), devices [{device, events, segments,
//     peak_allocated, end_allocated, peak_reserved, end_reserved, guessed_share (of the bytes at
//     the peak those with a guessed category; null: the file tells categories)}], annotations
//   trace: kind, bytes, events, kernels and operators [{name, count, total_us, mean_us}], steps
//     [{name, begin_us, dur_us, operators, launches, gpu (core/trace_file/trace_summary.h: what the
//     devices did meanwhile; null without kernels); rank where traces of ranks became one}],
//     gpu_busy_us (a kernel, copy or fill ran; the mean of the devices), gpu_time {compute_us,
//     exposed_communication_us, exposed_copy_us, idle_us} (core/trace_file/device_time.h; the first
//     three add up to gpu_busy_us), gpu_busy_by_device [{device, kernels, busy_us and the four of
//     gpu_time, from its first work to its last; rank where traces of ranks became one}], span_us
//     (first begin to last end, of all but the profiler's own window; of a part in seconds, like
//     the busy times: what lies in it), tracks, flows, memory_events, schema, devices, rank, checks
//     (core/report/checks.h)
// Allocated bytes are requested bytes, as in traces. Of a range both have in_range {events (that
// lie there; names of a trace do not count), earlier (of a snapshot: those that made what was alive
// when it begins, which are among `events`, too)}. Both have complete and, where it is false,
// fault.
nlohmann::json summary_json(const files::OpenedFile& file);
nlohmann::json summary_json(const trace_file::TraceFile& file);
// The same of a file without its events, whose summary was made before.
nlohmann::json summary_json(const trace_file::TraceFile& file,
                            const trace_file::TraceSummary& summary);

// The summary of a file of any known kind, or of the folder of a run or sweep. Our own files have
// kind (run, recording, sweep), workload or script and what fits; a script also
// findings, as checks. The error is one sentence.
struct FileSummary {
  nlohmann::json json;
  std::unique_ptr<files::OpenedFile> blocks;       // of a snapshot or a recording
  std::unique_ptr<files::OpenedTrace> trace = {};  // of a trace with events, where asked for
};
base::Result<FileSummary> summary_of(const std::filesystem::path& path,
                                     const FileQuestion& question = {});

}  // namespace ts::app
