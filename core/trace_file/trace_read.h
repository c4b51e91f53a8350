#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/file_range.h"
#include "core/base/result.h"
#include "core/io/input.h"
#include "core/trace_file/trace_file.h"

namespace ts::trace_file {

// Takes what a file holds as it is written there, in its order: either a list of events, or an
// object of entries with events among them.
class RawCopy {
 public:
  virtual ~RawCopy() = default;
  virtual void begin(bool is_list) = 0;
  virtual void entry(std::string_view key, std::string_view value) = 0;
  virtual void begin_events() = 0;
  virtual void event(std::string_view written) = 0;
  virtual void end_events() = 0;
  virtual void end() = 0;  // also where the file ends in the middle
};

// Reads a trace of torch.profiler (Kineto of 2021 to 2026, on NVIDIA and AMD) or of another program
// that writes Chrome's JSON: an object with traceEvents or a list of events, optionally packed by
// gzip. Events may be in any order, strings may contain raw control characters, the end may be
// missing. An error is returned only for unusable files. About 0.5 GB/s unpacked.
base::Result<TraceFile> read_trace(const std::filesystem::path& path);

// The same for a file of which nothing was dropped yet; messages name `path`. Cancelled: an
// error. Where a range is asked for, other events are left out as they are read, by their numbers
// in the order of the file; of a range of seconds what lasts into it is kept whole. The fault says
// so. With a copy the events go there alone.
base::Result<TraceFile> read_trace(const std::filesystem::path& path, io::Input& input,
                                   const base::FileRange& range = {}, RawCopy* copy = nullptr);

// The same for a file's content; messages do not name the file.
base::Result<TraceFile> parse_trace(io::Input& input, const base::FileRange& range = {},
                                    RawCopy* copy = nullptr);
base::Result<TraceFile> parse_trace(std::string content);

}  // namespace ts::trace_file
