#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/trace_file/event_fields.h"
#include "core/trace_file/rank_numbers.h"

namespace ts::trace_file {

// Appends an event of a rank as it is written, which `raw` was read from, with the numbers and the
// time that it has among those of other ranks. It gets a device or a category where only its
// process told them. `written` is followed by JsonScanner::kPadding readable bytes.
void append_event_of_rank(std::string& out, std::string_view written, const RawEvent& raw,
                          RankNumbers& numbers, std::size_t rank);

}  // namespace ts::trace_file
