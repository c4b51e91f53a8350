#pragma once

#include <string>

#include "core/base/result.h"
#include "core/snapshot/document.h"

namespace ts::snapshot {

// What could be read of a file into the document it was given.
struct ParsedContent {
  Document::Value root;
  base::Message fault;  // why reading ended early, with the place; empty when all was read
};

// Reads the pickle, protocol 2 to 5, that `document` owns. Only data is built: an opcode that could
// run code refuses the whole file, with its name and offset. A fault elsewhere (a cut-off file, a
// damaged byte) keeps what came before it, with every open list and dictionary closed. Whatever the
// bytes are, it ends in time linear in them and takes memory in proportion to them: three times the
// size of PyTorch's files, at most 32 times that of any other and a few megabytes.
//
// Limits: 4 GiB, 1000 open marks, integers of 64 bits (in at most 16 bytes).
base::Result<ParsedContent> read_pickle(Document& document);

}  // namespace ts::snapshot
