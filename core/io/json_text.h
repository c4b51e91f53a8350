#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ts::io {

// Appends `text` as a JSON string with its quotes. Any bytes are allowed: each broken UTF-8
// sequence becomes one U+FFFD per maximal part of it (Unicode 15, table 3-8), so that the result is
// valid JSON and valid UTF-8.
void append_json_string(std::string& out, std::string_view text);

// Appends nanoseconds as microseconds with three decimals, which is exact.
void append_microseconds(std::string& out, std::int64_t nanoseconds);

void append_integer(std::string& out, std::int64_t value);

}  // namespace ts::io
