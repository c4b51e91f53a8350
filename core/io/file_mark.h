#pragma once

#include <cstdint>
#include <filesystem>

#include "core/base/result.h"

namespace ts::io {

// Tells whether a file is the one it was: its size and the CRC-32 of its bytes. Not against
// intent: two files can be made with the same mark.
struct FileMark {
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
  friend bool operator==(const FileMark&, const FileMark&) = default;
};

// Reads the whole file in pieces. Pipes and devices are refused. Any thread.
base::Result<FileMark> file_mark(const std::filesystem::path& path);

}  // namespace ts::io
