#include "core/loader/data_set.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <system_error>
#include <utility>

#include "core/io/file.h"
#include "core/loader/tar.h"
#include "core/text/message.h"

namespace ts::loader {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostOpen = 256;              // archives of one thread
constexpr std::uint64_t kMostSample = 256U << 20U;  // bytes

bool is_sample(std::string_view name, bool images) {
  std::string end(name.substr(std::min(name.size(), name.find_last_of('.'))));
  std::ranges::transform(end, end.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return images ? end == ".jpg" || end == ".jpeg" : end == ".txt";
}

io::Descriptor opened(const fs::path& path) {
  return io::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

base::Message skipped(const fs::path& path, base::Message why) {
  return text::message("loader.skipped", {{"name", path.filename().string()},
                                          text::argument("reason", std::move(why))});
}

base::Message cannot_read() {
  return text::message("loader_error.unreadable", {io::system_reason(errno)});
}

// Adds the samples of an archive; else says why there are none.
base::Message add_archive(DataSet& set, const fs::path& path, bool images) {
  const io::Descriptor file = opened(path);
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (!file.is_open() || error) return cannot_read();
  const auto members = tar_members(
      [&](std::uint64_t offset, char* to, std::size_t most) {
        return io::read_at(file.number(), offset, {to, most});
      },
      size);
  if (!members) return members.error();
  const std::size_t first = set.samples.size();
  for (const TarMember& member : *members) {
    if (!is_sample(member.name, images) || set.samples.size() == kMostMembers) continue;
    set.samples.push_back(
        {member.name, static_cast<std::uint32_t>(set.files.size()), member.offset, member.bytes});
  }
  if (set.samples.size() == first) return text::message("loader_error.empty_shard");
  set.shards.push_back(first);
  set.files.push_back(path);
  return {};
}

void add_file(DataSet& set, const fs::path& path, std::uintmax_t bytes) {
  set.samples.push_back(
      {path.filename().string(), static_cast<std::uint32_t>(set.files.size()), 0, bytes});
  set.files.push_back(path);
}

// All regular files below a folder, links not followed.
base::Result<std::vector<fs::path>> files_below(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) found.push_back(at->path());
    if (found.size() > kMostFiles)
      return text::fail("loader_error.many_files", {{"folder", folder.string()}});
  }
  if (error) {
    return text::fail("loader_error.folder",
                      {{"folder", folder.string()}, io::system_reason(error.value())});
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

std::uint64_t DataSet::bytes() const {
  return std::accumulate(samples.begin(), samples.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Sample& one) { return sum + one.bytes; });
}

base::Result<DataSet> open_data_set(const fs::path& folder, bool images) {
  TS_TRY(const auto found, files_below(folder));
  DataSet set;
  for (const fs::path& path : found) {
    if (path.extension() != ".tar") continue;
    base::Message why = add_archive(set, path, images);
    if (!why.empty()) set.skipped.push_back(skipped(path, std::move(why)));
  }
  for (const fs::path& path : found) {
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (!set.sharded() && !error && is_sample(path.filename().string(), images))
      add_file(set, path, bytes);
  }
  if (!set.samples.empty()) return set;
  return text::fail(images ? "loader_error.no_images" : "loader_error.no_text",
                    {{"folder", folder.string()}});
}

base::Result<std::string_view> SampleReader::mapped(int file, const Sample& sample, bool keeps) {
  struct stat now {};
  if (::fstat(file, &now) != 0) return tl::unexpected(cannot_read());
  const std::uint64_t end = sample.offset + sample.bytes;
  if (end > static_cast<std::uint64_t>(now.st_size)) return text::fail("loader_error.shorter");
  if (sample.bytes == 0) return std::string_view();
  base::FileMap& map = keeps ? maps_[sample.file] : last_;
  if (!keeps || map.all().size() < end)
    map = base::FileMap(file, static_cast<std::uint64_t>(now.st_size));
  if (map.all().empty() || !map.load(sample.offset, sample.bytes))
    return tl::unexpected(cannot_read());
  return map.all().substr(sample.offset, sample.bytes);
}

base::Result<std::string_view> SampleReader::read(const Sample& sample, std::string& room) {
  const bool keeps = set_->sharded() && set_->files.size() <= kMostOpen;
  io::Descriptor fresh;
  io::Descriptor& held = keeps ? open_[sample.file] : fresh;
  if (!held.is_open()) held = opened(set_->files[sample.file]);
  if (!held.is_open()) return tl::unexpected(cannot_read());
  const int file = held.number();
  if (sample.bytes > kMostSample) return text::fail("loader_error.large");
  if (!maps_.empty()) return mapped(file, sample, keeps);
  room.resize(sample.bytes);
  if (io::read_at(file, sample.offset, room) == room.size()) return room;
  return text::fail("loader_error.shorter");
}

void drop_from_system_cache(const DataSet& set) {
  bool synced = false;
  for (const fs::path& path : set.files) {
    const io::Descriptor file = opened(path);
    if (!file.is_open()) continue;
    // New files must be on the disk first; at once is faster than file by file.
    if (!synced) ::syncfs(file.number());
    synced = true;
    ::posix_fadvise(file.number(), 0, 0, POSIX_FADV_DONTNEED);
  }
}

std::uint64_t in_system_cache(const DataSet& set) {
  std::uint64_t sum = 0;
  for (const fs::path& path : set.files) {
    const io::Descriptor file = opened(path);
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (file.is_open() && !error && bytes > 0)
      sum += base::FileMap(file.number(), bytes).resident();
  }
  return sum;
}

}  // namespace ts::loader
