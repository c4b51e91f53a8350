#include "core/io/private_folder.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "core/io/file.h"
#include "core/text/message.h"

namespace ts::io {

base::Result<PrivateFolder> PrivateFolder::make(const std::filesystem::path& parent,
                                                const std::string& beginning) {
  std::string name = (parent / (beginning + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    return text::fail("file_error.no_folder_in", {{"path", parent.string()}, system_reason(errno)});
  }
  return PrivateFolder(std::move(name));
}

PrivateFolder::~PrivateFolder() {
  if (path_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

PrivateFolder::PrivateFolder(PrivateFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

}  // namespace ts::io
