#pragma once

#include <string_view>
#include <vector>

#include "core/base/string_table.h"

namespace ts::trace {

// Marks, by id, the strings of the table that contain `text`, ASCII case ignored. Empty if no
// string matches or `text` is empty.
std::vector<char> ids_containing(const base::StringTable& strings, std::string_view text);

}  // namespace ts::trace
