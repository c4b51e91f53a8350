#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/result.h"

namespace ts::io {

// Deeper than any of our files. nlohmann's values are copied, compared and written by recursion, so
// a deeper one could overflow the stack.
inline constexpr std::size_t kMostJsonLevels = 100;

// The only function that parses JSON text. The error is the end of a sentence that begins with the
// name of the input: "is not valid JSON", or "is JSON nested more than 100 levels deep".
base::Result<nlohmann::json> parse_json(std::string_view text);

}  // namespace ts::io
