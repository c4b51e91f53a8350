#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ts::io {

struct UnpackedFile {
  std::string content;
  base::Message fault;  // why a packed file gave only its beginning; empty: it gave all
};

// Small files may unpack to this, larger ones to kMostRatio times their size, and none to more than
// half of the machine's memory: gzip makes a gigabyte of a megabyte of nothing.
inline constexpr std::size_t kAlwaysUnpacked = std::size_t{256} << 20;
inline constexpr std::size_t kMostRatio = 200;

// Reads a file, and if it is gzip's by its first bytes what is packed in it. Errors as read_file(),
// and one that is packed and gives nothing or too much.
base::Result<UnpackedFile> read_unpacked(const std::filesystem::path& path);

// The same for a content; sentences do not name the file. What is not gzip's comes back as it is.
base::Result<UnpackedFile> unpack(std::string content);

}  // namespace ts::io
