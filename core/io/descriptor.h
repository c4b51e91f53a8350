#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

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

}  // namespace ts::io
