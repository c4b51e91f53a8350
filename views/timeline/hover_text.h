#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/string_table.h"
#include "core/text/text.h"
#include "core/trace/trace_store.h"
#include "views/charts/read_out.h"

namespace ts::views {

// The read-out for the box under the mouse: name, duration and self time, module, shapes. For
// merged slices: their number, busy share, and the longest.
std::vector<ReadOutLine> read_out(const trace::TraceStore& store, const base::StringTable& strings,
                                  const text::Texts& texts, const trace::VisibleSlice& box);

// Duration minus that of the slices one depth down. Unset if there are too many to sum while the
// mouse moves.
std::optional<std::int64_t> self_time(const trace::TraceStore& store, trace::SliceRef ref);

}  // namespace ts::views
