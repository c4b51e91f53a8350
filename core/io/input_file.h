#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "core/base/result.h"

namespace ts::io {

// Owns an open file of the system. Private to the readers and writers of files.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  [[nodiscard]] int number() const noexcept { return number_; }
  // 0 or the error of close(): some file systems report a full disk only here.
  int close() noexcept { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_;
};

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
