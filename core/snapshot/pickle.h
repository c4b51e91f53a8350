#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file_range.h"
#include "core/base/result.h"
#include "core/io/input.h"
#include "core/snapshot/document.h"

namespace ts::snapshot {

// From where the events of a trace are counted of which not all are there.
struct TraceStart {
  std::size_t left_out = 0;                  // before those that are there
  std::optional<std::int64_t> time_us = {};  // of the very first; unset: that is there
};

// How events of a trace are kept. Both say the same of what PyTorch writes; as dictionaries they
// take more time and memory.
enum class EventForm { events, dictionaries };

// The part of a file that was read into the given document.
struct ParsedContent {
  Document::Value root;
  base::Message fault;    // why reading ended early, with the position; empty when all was read
  std::uint64_t end = 0;  // of a pickle: bytes that were read
  std::vector<TraceStart> starts = {};  // of the traces by their place, where a range was asked for
};

// Reads a pickle, protocol 2 to 5. Only data is built: if an opcode could run code, the whole file
// is refused, with the opcode's name and offset. After any other fault (a cut-off file, a damaged
// byte) the values before it are kept, with every open list and dictionary closed. For any input,
// the time is linear and the memory proportional to its size: less than that of PyTorch's files, at
// most 32 times that of any other and a few megabytes.
//
// Limits: 2^32 values, 1000 open marks, integers of 64 bits (in at most 16 bytes). Cancelled: an
// error.
// Where a range of events is asked for, others are left out as they are read, but for those that
// say what is alive at its ends (allocator::RangeKeeper).
base::Result<ParsedContent> read_pickle(io::Input& input, Document& document,
                                        EventForm form = EventForm::events,
                                        const base::FileRange& range = {});
// The same for content in memory.
base::Result<ParsedContent> read_pickle(std::string content, Document& document,
                                        EventForm form = EventForm::events);

}  // namespace ts::snapshot
