#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/io/input.h"
#include "core/snapshot/document.h"

namespace ts::snapshot {

// How events of a trace are kept. Both say the same of what PyTorch writes; as dictionaries they
// take more time and memory.
enum class EventForm { events, dictionaries };

// The part of a file that was read into the given document.
struct ParsedContent {
  Document::Value root;
  base::Message fault;    // why reading ended early, with the position; empty when all was read
  std::uint64_t end = 0;  // of a pickle: bytes that were read
};

// Reads a pickle, protocol 2 to 5. Only data is built: if an opcode could run code, the whole file
// is refused, with the opcode's name and offset. After any other fault (a cut-off file, a damaged
// byte) the values before it are kept, with every open list and dictionary closed. For any input,
// the time is linear and the memory proportional to its size: less than that of PyTorch's files, at
// most 32 times that of any other and a few megabytes.
//
// Limits: 2^32 values, 1000 open marks, integers of 64 bits (in at most 16 bytes). Cancelled: an
// error.
base::Result<ParsedContent> read_pickle(io::Input& input, Document& document,
                                        EventForm form = EventForm::events);
// The same for content in memory.
base::Result<ParsedContent> read_pickle(std::string content, Document& document,
                                        EventForm form = EventForm::events);

}  // namespace ts::snapshot
