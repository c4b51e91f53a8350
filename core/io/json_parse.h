#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ts::io {

// Deeper than any of our files. nlohmann's values are copied, compared and written by recursion, so
// a deeper one could overflow the stack.
inline constexpr std::size_t kMostJsonLevels = 100;

// The only function that parses JSON text. The error is the end of a sentence that begins with the
// name of the input: "is not valid JSON", or "is JSON nested more than 100 levels deep".
base::Result<nlohmann::json> parse_json(std::string_view text);

// The JSON value of a file. Errors are whole sentences that name the file.
base::Result<nlohmann::json> read_json(const std::filesystem::path& path);

// JSON text for a file or the console: two columns a level, a line break at the end. Bytes that are
// not UTF-8, as in names of files, become replacement characters.
std::string json_text(const nlohmann::json& json);

}  // namespace ts::io
