#pragma once

#include <cstdint>
#include <string_view>

namespace ts::io {

// The kind of a foreign file, by its content: its first bytes, and in JSON the first significant
// key.
enum class FileKind : std::uint8_t { snapshot, trace, other };

// `content` is unpacked and followed by JsonScanner::kPadding readable bytes.
FileKind kind_of(std::string_view content);

}  // namespace ts::io
