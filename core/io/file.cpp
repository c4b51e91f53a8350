#include "core/io/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "core/base/memory_pages.h"
#include "core/io/input_file.h"
#include "core/text/message.h"

namespace ts::io {
namespace {

// mode of new files before the user's umask
constexpr mode_t kNewFileMode = 0666;

tl::unexpected<base::Error> cannot_write(const std::filesystem::path& path, int error) {
  return text::fail("file_error.write", {{"path", path.string()}, system_reason(error)});
}

// Gathers small pieces, remembers the first error and ignores everything after it.
class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) { buffer_.reserve(kBufferSize); }

  void write(std::string_view piece) {
    if (buffer_.size() + piece.size() > kBufferSize) flush();
    if (piece.size() >= kBufferSize) {
      write_through(piece);
    } else {
      buffer_ += piece;
    }
  }
  // 0 or the first error.
  int finish() {
    flush();
    return error_;
  }

 private:
  static constexpr std::size_t kBufferSize = std::size_t{1} << 18;

  void flush() {
    write_through(buffer_);
    buffer_.clear();
  }
  void write_through(std::string_view piece) {
    while (!piece.empty() && error_ == 0) {
      const ssize_t written = ::write(descriptor_, piece.data(), piece.size());
      if (written >= 0) {
        piece.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        error_ = errno;
      }
    }
  }

  int descriptor_;
  int error_ = 0;
  std::string buffer_;
};

// ".tensorscope-PID-RANDOM.partial": the suffix of a neighbour's name. An attacker cannot prepare a
// file under a name that he cannot guess. Earlier versions used a counter instead of RANDOM.
constexpr std::string_view kNeighbourMark = ".tensorscope-";
constexpr std::string_view kNeighbourEnd = ".partial";

// If there is none, errno is that of getrandom().
std::optional<std::string> neighbour_ending() {
  std::uint64_t random = 0;
  if (::getrandom(&random, sizeof random, 0) != ssize_t{sizeof random}) return std::nullopt;
  return fmt::format("{}{}-{:016x}{}", kNeighbourMark, ::getpid(), random, kNeighbourEnd);
}

// The process that created the neighbour of that name; 0 if it is not a neighbour.
pid_t maker_of(std::string_view name) {
  const std::size_t mark = name.rfind(kNeighbourMark);
  if (mark == std::string_view::npos || !name.ends_with(kNeighbourEnd)) return 0;
  const std::string_view numbers = name.substr(mark + kNeighbourMark.size());
  pid_t process = 0;
  const auto [end, error] =
      std::from_chars(numbers.data(), numbers.data() + numbers.size(), process);
  return error == std::errc() && *end == '-' && process > 0 ? process : 0;
}

// Removes neighbours whose process was killed, at the next write to the folder. Checked once per
// folder. A lock shows that a neighbour is still being written, also by a process that is not
// visible here (in a container).
void remove_leftovers(const std::filesystem::path& target) {
  static std::mutex mutex;
  static std::set<std::filesystem::path> seen;
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  {
    const std::lock_guard lock(mutex);
    if (!seen.insert(folder).second) return;
  }
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const pid_t maker = maker_of(entry->path().filename().string());
    if (maker == 0 || ::kill(maker, 0) == 0 || errno != ESRCH) continue;
    const Descriptor descriptor(
        ::open(entry->path().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!descriptor.is_open() || ::flock(descriptor.number(), LOCK_EX | LOCK_NB) != 0) continue;
    ::unlink(entry->path().c_str());
  }
}

// A new file beside `target` that is removed unless it is renamed over it.
class Neighbour {
 public:
  explicit Neighbour(const std::filesystem::path& target) {
    remove_leftovers(target);
    do {
      const auto ending = neighbour_ending();
      if (!ending) break;
      path_ = target;
      path_ += *ending;
      // Not mkostemps(): its mode 0600 ignores the user's umask.
      number_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kNewFileMode);
    } while (number_ < 0 && (errno == EEXIST || errno == EINTR));
    error_ = number_ < 0 ? errno : 0;
    // Best effort: some file systems do not support it.
    if (number_ >= 0) ::flock(number_, LOCK_EX | LOCK_NB);
  }
  ~Neighbour() {
    if (error_ == 0 && !renamed_) ::unlink(path_.c_str());
  }
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  [[nodiscard]] int descriptor() const noexcept { return number_; }
  [[nodiscard]] int error() const noexcept { return error_; }
  // 0 or the error.
  int rename_to(const std::filesystem::path& target) {
    renamed_ = ::rename(path_.c_str(), target.c_str()) == 0;
    return renamed_ ? 0 : errno;
  }

 private:
  std::filesystem::path path_;
  int number_ = -1;
  int error_ = 0;
  bool renamed_ = false;
};

// Makes the rename survive a loss of power. Best effort: some file systems do not support it.
void sync_folder(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.is_open()) ::fsync(descriptor.number());
}

// For pipes and devices, which cannot be replaced by a rename.
base::Result<void> write_directly(
    const std::filesystem::path& path,
    const std::function<base::Result<void>(const WritePiece&)>& produce) {
  Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!descriptor.is_open()) return cannot_write(path, errno);
  Output output(descriptor.number());
  if (auto made = produce([&output](std::string_view piece) { output.write(piece); }); !made)
    return made;
  int error = output.finish();
  if (const int closing = descriptor.close(); error == 0) error = closing;
  if (error != 0) return cannot_write(path, error);
  return {};
}

}  // namespace

base::Argument system_reason(int error) {
  struct Known {
    int error;
    const char* key;
  };
  for (const Known& one :
       {Known{ENOENT, "missing"}, Known{EACCES, "permission"}, Known{EPERM, "not_permitted"},
        Known{EROFS, "read_only"}, Known{EISDIR, "folder"}, Known{ENOTDIR, "no_folder"},
        Known{EEXIST, "exists"}, Known{ENOSPC, "full"}, Known{EIO, "io"}, Known{ENOMEM, "memory"},
        Known{EFBIG, "large"}}) {
    if (one.error == error) {
      return text::argument("reason", text::message(std::string("file_error.reason.") + one.key));
    }
  }
  return {"reason", std::generic_category().message(error)};
}

base::Message read_in_part(const std::filesystem::path& path, base::Message why) {
  return text::message("file_error.part",
                       {{"path", path.string()}, text::argument("reason", std::move(why))});
}

std::string line_value(const std::filesystem::path& path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const auto at = line.find(separator, key.size());
    if (at == std::string::npos) continue;
    const auto begin = line.find_first_not_of(" \t\"", at + 1);
    if (begin == std::string::npos) return {};
    const auto end = line.find_last_not_of(" \t\"");
    return line.substr(begin, end - begin + 1);
  }
  return {};
}

base::Result<void> make_folder(const std::filesystem::path& folder) {
  if (folder.empty()) return text::fail("file_error.folder_without_name");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && !std::filesystem::is_directory(folder, error)) {
    error = std::make_error_code(std::errc::not_a_directory);
  }
  if (!error) return {};
  return text::fail("file_error.folder", {{"path", folder.string()}, system_reason(error.value())});
}

base::Result<std::filesystem::path> absolute_path(const std::filesystem::path& path) {
  if (path.empty()) return text::fail("file_error.file_without_name");
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  if (error) return text::fail("file_error.no_current_folder", {{"path", path.string()}});
  std::filesystem::path parts;
  for (const std::filesystem::path& part : whole) {
    if (part != ".") parts /= part;
  }
  return parts;
}

base::Result<std::string> read_file(const std::filesystem::path& path, const Reading& how) {
  TS_TRY(auto file, InputFile::open(path));
  std::string content;
  try {
    // The extra bytes detect the end of the file without growing again, and are the padding for
    // scanners. Files of /proc report size 0.
    constexpr std::size_t kLeast = 4096;
    constexpr std::size_t kMore = 64;
    // A piece is zeroed before it is read; a small one stays in the cache between.
    constexpr std::size_t kPiece = std::size_t{1} << 20U;
    const std::size_t all = std::min(static_cast<std::size_t>(file.size()), how.most);
    content.reserve(std::max(all + kMore, kLeast));
    base::prefer_huge_pages(content.data(), content.capacity());
    std::size_t size = 0;
    for (;;) {
      if (!base::goes_on(how.progress, size, all)) return text::fail("file_error.stopped");
      const std::size_t room = content.capacity() - size;
      const std::size_t wanted = std::min({room == 0 ? size : room, kPiece, how.most - size});
      content.resize(size + wanted);
      TS_TRY(const auto got, file.read({content.data() + size, wanted}));
      if (got == 0) break;
      size += got;
    }
    content.resize(size);
  } catch (const std::bad_alloc&) {
    return cannot_read(path, ENOMEM);
  } catch (const std::length_error&) {
    return cannot_read(path, EFBIG);
  }
  return content;
}

std::optional<base::Message> reason_no_file(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto there = std::filesystem::status(path, ignored);
  if (!std::filesystem::exists(there) || std::filesystem::is_regular_file(there))
    return std::nullopt;
  return text::message(std::filesystem::is_directory(there) ? "file_error.reason.folder"
                                                            : "file_error.reason.device");
}

base::Result<void> write_file(const std::filesystem::path& path, std::string_view content) {
  return write_file(path, [content](const WritePiece& write) { write(content); });
}

base::Result<void> write_file(const std::filesystem::path& path,
                              const std::function<void(const WritePiece&)>& produce) {
  return write_file_unless(path, [&produce](const WritePiece& write) -> base::Result<void> {
    produce(write);
    return {};
  });
}

base::Result<void> write_file_unless(
    const std::filesystem::path& path,
    const std::function<base::Result<void>(const WritePiece&)>& produce) {
  // Resolves links, so that the link stays and its target is replaced.
  std::error_code ignored;
  std::filesystem::path target = std::filesystem::canonical(path, ignored);
  if (ignored) target = path;
  struct stat old {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) return cannot_write(path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) return write_directly(path, produce);

  Neighbour neighbour(target);
  if (neighbour.error() != 0) return cannot_write(path, neighbour.error());
  Descriptor descriptor(neighbour.descriptor());
  Output output(descriptor.number());
  if (auto made = produce([&output](std::string_view piece) { output.write(piece); }); !made)
    return made;
  int error = output.finish();
  constexpr mode_t kPermissions = 07777;
  if (error == 0 && exists && ::fchmod(descriptor.number(), old.st_mode & kPermissions) != 0) {
    error = errno;
  }
  if (error == 0 && ::fsync(descriptor.number()) != 0) error = errno;
  if (const int closing = descriptor.close(); error == 0) error = closing;
  if (error == 0) error = neighbour.rename_to(target);
  if (error != 0) return cannot_write(path, error);
  sync_folder(target);
  return {};
}

}  // namespace ts::io
