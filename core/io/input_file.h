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

// `error`: of the system.
tl::unexpected<base::Error> cannot_read(const std::filesystem::path& path, int error);

// Owns an open file or socket of the system, which it closes at the end. Movable.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) noexcept : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }
  // 0 or the error of close(): some file systems report a full disk only here.
  int close() noexcept {
    return !is_open() || ::close(std::exchange(number_, -1)) == 0 ? 0 : errno;
  }

 private:
  int number_;
};

// Fills `to` with the bytes of a file from `offset` on. Returns how many came: less than all where
// the file ends before, errno 0, or where it cannot be read.
inline std::size_t read_at(int file, std::uint64_t offset, std::span<char> to) {
  std::size_t done = 0;
  while (done < to.size()) {
    errno = 0;
    const ssize_t got =
        ::pread(file, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

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
