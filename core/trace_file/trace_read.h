#pragma once

#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/trace_file/trace_file.h"

namespace ts::trace_file {

// Reads a trace of torch.profiler (Kineto of 2021 to 2026, on NVIDIA and AMD) or of another program
// that writes Chrome's JSON: an object with traceEvents or a list of events, packed by gzip or not,
// events in any order, raw control characters inside strings, the end missing. The error is for
// files of which nothing can be used. About 0.5 GB/s unpacked.
base::Result<TraceFile> read_trace(const std::filesystem::path& path);

// The same for a content; sentences do not name the file.
base::Result<TraceFile> parse_trace(std::string content);

}  // namespace ts::trace_file
