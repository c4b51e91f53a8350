#pragma once

#include <string_view>

#include "core/base/progress.h"
#include "core/snapshot/document.h"
#include "core/snapshot/pickle.h"

namespace ts::snapshot {

// Reads JSON text into a document, by the rules of read_pickle(): values before a fault are kept.
// Equal texts are stored once. At most 1000 levels deep. `progress` may be null; cancelled: a
// fault.
ParsedContent read_json(std::string_view json, Document& document,
                        base::Progress* progress = nullptr);

}  // namespace ts::snapshot
