#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace ts::base {

// A file mapped for reading. Its bytes are where the system's cache has them. Movable.
class FileMap {
 public:
  FileMap() = default;
  // The first `bytes` of an open file, which may be closed then. Empty: it cannot be mapped, and
  // errno says why.
  FileMap(int descriptor, std::uint64_t bytes);
  explicit FileMap(const std::string& path);  // the whole file
  ~FileMap();
  FileMap(FileMap&& other) noexcept : all_(std::exchange(other.all_, {})) {}
  FileMap& operator=(FileMap&& other) noexcept {
    std::swap(all_, other.all_);
    return *this;
  }

  [[nodiscard]] std::string_view all() const { return all_; }
  // Brings a part into memory. False: it cannot be read, and errno says why. Touched without this,
  // a part that the file has no more ends the program.
  [[nodiscard]] bool load(std::uint64_t offset, std::uint64_t bytes) const;
  // Bytes of pages that are in memory, whoever brought them there.
  [[nodiscard]] std::uint64_t resident() const;

 private:
  std::string_view all_;
};

}  // namespace ts::base
