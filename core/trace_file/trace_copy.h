#pragma once

#include <filesystem>
#include <vector>

#include "core/base/file_range.h"
#include "core/base/message.h"
#include "core/base/result.h"
#include "core/io/input.h"
#include "core/trace_file/rank_numbers.h"

namespace ts::trace_file {

// Writes the events of a trace, of which nothing was dropped yet, as they stand in it, with all
// their arguments, and the other entries of the file: readers of JSON find the same values. Only
// what is no JSON is mended: control characters and broken escapes in strings, bytes that are no
// UTF-8, trailing commas, words that are no value (`inf` becomes "inf"), a missing end. `range` as
// for read_trace(). Returns why not all of it was read, if so. Streams.
base::Result<base::Message> copy_trace(const std::filesystem::path& from, io::Input& input,
                                       const base::FileRange& range,
                                       const std::filesystem::path& to);

// The same for the traces of ranks, which become one: processes, devices, arrows and times get
// their numbers, the names of processes and threads say whose they are, and all else stays as it is
// written. The other entries are those of the first, with the devices of all.
base::Result<base::Message> copy_ranks(const std::vector<std::filesystem::path>& files,
                                       RankNumbers numbers, const std::filesystem::path& to);

}  // namespace ts::trace_file
