#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "core/base/result.h"
#include "core/io/descriptor.h"

namespace ts::io {

// A regular file that is read from front to back. Errors name it and the system's reason; pipes and
// devices are refused, because they may have no end. One owner thread.
class InputFile {
 public:
  static base::Result<InputFile> open(const std::filesystem::path& path);

  // When it was opened. Files of /proc report 0.
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::uint64_t position() const { return position_; }
  // Reads up to so many bytes; 0 at the end.
  base::Result<std::size_t> read(std::span<char> to);

 private:
  InputFile(std::filesystem::path path, Descriptor&& descriptor, std::uint64_t size)
      : path_(std::move(path)), descriptor_(std::move(descriptor)), size_(size) {}

  std::filesystem::path path_;
  Descriptor descriptor_;
  std::uint64_t size_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace ts::io
