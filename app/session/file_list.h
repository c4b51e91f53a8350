#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ts::app {

// What a path is to the program, as far as a look at its name tells.
enum class FileKind : std::uint8_t { folder, sweep, snapshot, json, other, missing };

struct ListedFile {
  std::filesystem::path path;
  FileKind kind = FileKind::other;
  std::uintmax_t bytes = 0;  // 0 for a folder
};

// The kind and size of one path; kind `other` for what cannot be opened, `missing` where there is
// nothing of that name.
ListedFile listed(const std::filesystem::path& path);

// What a folder has for the user to open: folders first, then sweeps, then files that can be
// opened, each by name. Hidden ones and others are left out. At most kMostListed are looked at, so
// that a folder of a data set does not stop the window; `cut` says that there are more.
inline constexpr std::size_t kMostListed = 5000;
struct FileList {
  std::filesystem::path folder;
  std::vector<ListedFile> files;
  bool cut = false;
};
FileList list_folder(const std::filesystem::path& folder);

// The files that were opened last, the newest first, each once; kMostRecent at most.
inline constexpr std::size_t kMostRecent = 12;
void remember_file(std::vector<std::string>& recent, const std::filesystem::path& path);
void forget_file(std::vector<std::string>& recent, const std::filesystem::path& path);

}  // namespace ts::app
