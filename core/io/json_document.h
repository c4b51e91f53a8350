#pragma once

#include <string_view>

#include "core/io/document.h"
#include "core/io/pickle.h"

namespace ts::io {

// Reads JSON text into a document, by the rules of read_pickle(): what comes before a fault is
// kept. `document` need not own the text; equal texts become one. At most 1000 levels deep.
ParsedContent read_json(std::string_view json, Document& document);

}  // namespace ts::io
