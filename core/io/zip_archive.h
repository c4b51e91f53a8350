#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace ts::io {

// Reads a ZIP archive by its central directory: stored and deflated members, ZIP64. Names are only
// compared, never used as paths; nothing is written. Sizes come from the archive, so every read has
// a limit of the caller's, and checksums are compared. Sentences do not name the file. One thread
// at a time.
class ZipArchive {
 public:
  struct Member {
    std::string name;
    std::uint64_t offset = 0;  // of its local header
    std::uint64_t packed = 0;  // bytes
    std::uint64_t size = 0;    // bytes unpacked
    std::uint32_t crc = 0;
    std::uint16_t method = 0;  // 0 stored, 8 deflated
  };

  // At most kMostMembers members and kMostDirectory bytes of directory. Pipes and devices are
  // refused.
  static base::Result<ZipArchive> open(const std::filesystem::path& path);
  static base::Result<ZipArchive> of_bytes(std::string content);
  static constexpr std::size_t kMostMembers = 1'000'000;
  static constexpr std::size_t kMostDirectory = std::size_t{256} << 20;

  ZipArchive(ZipArchive&&) noexcept;
  ZipArchive& operator=(ZipArchive&&) noexcept;
  ~ZipArchive();

  [[nodiscard]] std::span<const Member> members() const { return members_; }
  // The first of that name, null where there is none.
  [[nodiscard]] const Member* find(std::string_view name) const;
  // A whole member of at most `most` bytes.
  [[nodiscard]] base::Result<std::string> read(const Member& member, std::size_t most) const;
  // A whole member into memory of its size.
  [[nodiscard]] base::Result<void> read_into(const Member& member, std::span<char> to) const;

 private:
  class Source;
  explicit ZipArchive(std::unique_ptr<Source> source);
  static base::Result<ZipArchive> from(std::unique_ptr<Source> source);
  base::Result<void> read_directory();

  std::unique_ptr<Source> source_;
  std::vector<Member> members_;
};

}  // namespace ts::io
