#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "core/base/result.h"

namespace ts::io {

// A new folder for this user only (mode 0700), with a name that cannot be guessed; the destructor
// removes it with its content.
class PrivateFolder {
 public:
  // Creates it in `parent`, which must exist: its name is `beginning` and six random letters.
  static base::Result<PrivateFolder> make(const std::filesystem::path& parent,
                                          const std::string& beginning);
  ~PrivateFolder();
  PrivateFolder(PrivateFolder&& other) noexcept;
  PrivateFolder& operator=(PrivateFolder&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  explicit PrivateFolder(std::filesystem::path path) : path_(std::move(path)) {}

  std::filesystem::path path_;
};

}  // namespace ts::io
