#include "core/kernel_check/kept_executor.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "core/io/file.h"
#include "core/io/sha256.h"
#include "core/io/user_folder.h"

namespace ts::kernel_check {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostKept = 4;  // of compilers and of versions of the program; 1 MB each

void remove_oldest(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::directory_entry> all(fs::directory_iterator(folder, error), {});
  if (all.size() <= kMostKept) return;
  std::ranges::sort(all, std::greater(), [](const auto& entry) {
    std::error_code ignored;
    return entry.last_write_time(ignored);
  });
  for (std::size_t i = kMostKept; i < all.size(); ++i) fs::remove(all[i].path(), error);
}

}  // namespace

fs::path kept_executor(std::string_view sources, std::string_view version) {
  const auto folder = io::user_folder("XDG_CACHE_HOME", ".cache");
  if (!folder) return {};
  return *folder / "kernel_check" / (io::sha256(std::string(version).append(sources)) + ".o");
}

void keep_executor(const fs::path& object, const fs::path& kept) {
  if (kept.empty() || !io::make_folder(kept.parent_path())) return;
  // It becomes part of a program that runs with the user's rights.
  std::error_code error;
  fs::permissions(kept.parent_path(), fs::perms::owner_all, error);
  const auto bytes = io::read_file(object);
  if (error || !bytes || !io::write_file(kept, *bytes)) return;
  remove_oldest(kept.parent_path());
}

}  // namespace ts::kernel_check
