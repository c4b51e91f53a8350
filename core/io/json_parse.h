#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/base/result.h"

namespace ts::io {

// As deep as any file of ours is and more. nlohmann's values are copied, compared and written by
// recursion, so a deeper one would take the whole stack.
inline constexpr std::size_t kMostJsonLevels = 100;

// The one way from text to JSON. The error is the end of a sentence that begins with the name of
// what was read: "is not valid JSON", or "is JSON nested more than 100 levels deep".
base::Result<nlohmann::json> parse_json(std::string_view text);

}  // namespace ts::io
