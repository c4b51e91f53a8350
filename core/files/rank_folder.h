#pragma once

#include <filesystem>
#include <vector>

#include "core/base/message.h"
#include "core/base/progress.h"
#include "core/base/result.h"
#include "core/trace_file/trace_file.h"

namespace ts::files {

// The files of a folder that a trace of a rank may be: .json and .json.gz, by name.
std::vector<std::filesystem::path> files_of_ranks(const std::filesystem::path& folder);

// A folder of traces, one file a rank, as torch.profiler.tensorboard_trace_handler() writes it and
// HolisticTraceAnalysis reads it: all of them as one, by rank. Other files are left out; an error
// if no trace is there, or one that cannot be read. The fault names what was read only in part, or
// says that the traces are of different times.
base::Result<trace_file::TraceFile> read_ranks(const std::filesystem::path& folder,
                                               base::Progress* progress = nullptr);

// The same as a trace of JSON, with all that the events have: see trace_file::copy_ranks(). Holds
// one file's events at a time. Returns the fault.
base::Result<base::Message> copy_ranks(const std::filesystem::path& folder,
                                       const std::filesystem::path& to);

}  // namespace ts::files
