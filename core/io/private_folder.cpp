#include "core/io/private_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

namespace ts::io {

base::Result<PrivateFolder> PrivateFolder::make(const std::filesystem::path& parent,
                                                const std::string& beginning) {
  std::string name = (parent / (beginning + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    return base::fail("No folder can be made in " + parent.string() + ": " + std::strerror(errno));
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
