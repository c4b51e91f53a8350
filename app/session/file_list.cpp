#include "app/session/file_list.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/output/sweep_files.h"
#include "core/files/saved_session.h"

namespace ts::app {
namespace {

bool has_extension(const std::filesystem::path& path, std::string_view wanted) {
  return path.extension().string() == wanted;
}

}  // namespace

ListedFile listed(const std::filesystem::path& path) {
  ListedFile file;
  file.path = path;
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (status.type() == std::filesystem::file_type::not_found) file.kind = FileKind::missing;
  if (problem || file.kind == FileKind::missing) return file;
  if (is_sweep(path)) {
    file.kind = FileKind::sweep;
  } else if (std::filesystem::is_directory(status)) {
    file.kind = FileKind::folder;
  } else if (std::filesystem::is_regular_file(status)) {
    if (has_extension(path, ".pickle") || has_extension(path, ".pkl")) {
      file.kind = FileKind::snapshot;
    } else if (has_extension(path, ".recording")) {
      file.kind = FileKind::recording;
    } else if (has_extension(path, ".json") || has_extension(path, ".gz")) {
      file.kind = FileKind::json;
    } else if (has_extension(path, ".pt2")) {
      file.kind = FileKind::model;
    } else if (has_extension(path, ".py")) {
      file.kind = FileKind::python;
    } else if (has_extension(path, files::kSessionEnding)) {
      file.kind = FileKind::session;
    }
  }
  const std::uintmax_t bytes = std::filesystem::file_size(path, problem);
  if (!problem && std::filesystem::is_regular_file(status)) file.bytes = bytes;
  return file;
}

FileList list_folder(const std::filesystem::path& folder) {
  FileList list;
  list.folder = folder;
  std::error_code problem;
  std::filesystem::directory_iterator at(folder, problem);
  std::size_t looked_at = 0;
  for (; !problem && at != std::filesystem::directory_iterator(); at.increment(problem)) {
    if (++looked_at > kMostListed) {
      list.cut = true;
      break;
    }
    if (at->path().filename().string().starts_with(".")) continue;
    ListedFile file = listed(at->path());
    if (file.kind < FileKind::other) list.files.push_back(std::move(file));
  }
  std::ranges::sort(list.files, [](const ListedFile& a, const ListedFile& b) {
    const auto rank = [](FileKind kind) { return std::min<int>(static_cast<int>(kind), 2); };
    return std::pair(rank(a.kind), a.path.filename()) < std::pair(rank(b.kind), b.path.filename());
  });
  return list;
}

void remember_file(std::vector<std::string>& recent, const std::filesystem::path& path) {
  std::erase(recent, path.string());
  recent.insert(recent.begin(), path.string());
  if (recent.size() > kMostRecent) recent.resize(kMostRecent);
}

void forget_file(std::vector<std::string>& recent, const std::filesystem::path& path) {
  std::erase(recent, path.string());
}

const std::vector<ListedFile>& RecentFiles::look(const std::vector<std::string>& recent,
                                                 std::int64_t now_ns) {
  if (recent == paths_ && now_ns - looked_ns_ < kReadAgainNs) return files_;
  paths_ = recent;
  looked_ns_ = now_ns;
  files_.clear();
  for (const std::string& path : paths_) files_.push_back(listed(path));
  return files_;
}

std::string recent_name(const std::filesystem::path& path) {
  return (path.parent_path().filename() / path.filename()).string();
}

}  // namespace ts::app
