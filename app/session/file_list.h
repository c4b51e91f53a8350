#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ts::app {

// The kind of a path, judged by its name and without reading the file.
enum class FileKind : std::uint8_t {
  folder,
  sweep,
  snapshot,
  recording,
  json,
  model,
  python,
  session,
  other,
  missing
};

struct ListedFile {
  std::filesystem::path path;
  FileKind kind = FileKind::other;
  std::uintmax_t bytes = 0;  // 0 for a folder
};

// The kind and size of one path; kind `other` for what cannot be opened, `missing` if nothing has
// that name.
ListedFile listed(const std::filesystem::path& path);

// The entries of a folder that the user can open: folders first, then sweeps, then files, each
// sorted by name. Hidden and other entries are left out. At most kMostListed are read, so that a
// folder of a data set does not block the window; `cut`: there are more.
inline constexpr std::size_t kMostListed = 5000;
struct FileList {
  std::filesystem::path folder;
  std::vector<ListedFile> files;
  bool cut = false;
};
FileList list_folder(const std::filesystem::path& folder);

// The files opened last, newest first, each once; kMostRecent at most.
inline constexpr std::size_t kMostRecent = 10;
void remember_file(std::vector<std::string>& recent, const std::filesystem::path& path);
void forget_file(std::vector<std::string>& recent, const std::filesystem::path& path);

// The recent files as they are on disk, for menus that are drawn every frame: looked at again only
// when the list has changed or after kReadAgainNs. One thread.
class RecentFiles {
 public:
  static constexpr std::int64_t kReadAgainNs = 1'000'000'000;
  const std::vector<ListedFile>& look(const std::vector<std::string>& recent, std::int64_t now_ns);

 private:
  std::vector<std::string> paths_;
  std::vector<ListedFile> files_;
  std::int64_t looked_ns_ = 0;
};

// Its name and that of its folder: saved files of different runs have the same names.
std::string recent_name(const std::filesystem::path& path);

}  // namespace ts::app
