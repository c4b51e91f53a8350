#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace ts::io {

// Makes the bytes of a ZIP archive, member by member, and passes them on. Members are deflated; the
// same members give the same bytes. Members and archive must be smaller than 4 GiB. One thread.
class ZipMaker {
 public:
  explicit ZipMaker(std::function<void(std::string_view)> write) : write_(std::move(write)) {}
  // False, and nothing is added: the archive would be too large.
  [[nodiscard]] bool add(const std::string& name, std::string_view content);
  // The directory, after the last member.
  void end();

 private:
  std::function<void(std::string_view)> write_;
  std::string directory_;
  std::uint64_t size_ = 0;
  std::uint64_t members_ = 0;
};

// Writes a ZIP archive of all files below a folder under NAME/ with their relative paths, sorted;
// links and hidden files are left out. The archive is written like any file of the program: nobody
// sees half of it. Files are read one by one.
base::Result<void> write_zip(const std::filesystem::path& archive,
                             const std::filesystem::path& folder, const std::string& name);

}  // namespace ts::io
