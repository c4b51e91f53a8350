#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/trace_file/trace_file.h"

namespace ts::trace_file {

// Writes a trace in the schema of PyTorch's Kineto, which Perfetto, TensorBoard's successors,
// HolisticTraceAnalysis and TraceLens read; parse_trace() of the file returns the same events.
// `metadata`: a JSON object as text, stored as otherData. Streams.
base::Result<void> write_trace(const std::filesystem::path& path, const TraceFile& file,
                               const std::string& metadata = "{}");

// The events that name processes and threads, as JSON.
std::vector<std::string> name_events(const std::vector<Track>& tracks);

// One line an event: name, category, process, thread, begin_us, dur_us, correlation, external_id.
base::Result<void> write_trace_csv(const std::filesystem::path& path, const TraceFile& file);

}  // namespace ts::trace_file
