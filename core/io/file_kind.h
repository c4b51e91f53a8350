#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/io/input.h"

namespace ts::io {

// The kind of a file, by its content: its first bytes, and in JSON the first significant
// key.
enum class FileKind : std::uint8_t { snapshot, trace, recording, other };

// `content` is unpacked and followed by JsonScanner::kPadding readable bytes.
FileKind kind_of(std::string_view content);
// The same for unpacked content without that padding. The content is unchanged afterwards.
FileKind kind_of_content(std::string& content);
// The same for a file of which nothing was dropped yet; reads as much of it as is needed.
FileKind kind_of(Input& input);

}  // namespace ts::io
