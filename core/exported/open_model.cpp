// The models that are open in this process.
#include <sys/stat.h>

#include <algorithm>
#include <list>
#include <mutex>

#include "core/exported/model_file.h"

namespace ts::exported {
namespace {

using Read = base::Result<std::shared_ptr<const ModelFile>>;

// A file as it is now; a file that is written anew is another.
struct State {
  std::int64_t size = -1;  // -1: there is no file
  std::int64_t changed_s = 0, changed_ns = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const State&, const State&) = default;
};

State state_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ino};
}

struct Entry {
  std::string path;
  State state;
  Read model;
};

}  // namespace

Read open_model(const std::string& path) {
  constexpr std::size_t kKept = 4;
  static std::mutex mutex;
  static std::list<Entry> entries;  // the one that was used last comes first
  const std::lock_guard lock(mutex);
  const State state = state_of(path);
  const auto found = std::ranges::find_if(
      entries, [&](const Entry& entry) { return entry.path == path && entry.state == state; });
  if (found != entries.end()) {
    entries.splice(entries.begin(), entries, found);
    return entries.front().model;
  }
  entries.remove_if([&path](const Entry& entry) { return entry.path == path; });
  entries.push_front({path, state, ModelFile::read(path)});
  if (entries.size() > kKept) entries.pop_back();
  return entries.front().model;
}

}  // namespace ts::exported
