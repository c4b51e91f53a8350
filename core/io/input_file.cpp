#include "core/io/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "core/io/file.h"
#include "core/text/message.h"

namespace ts::io {

tl::unexpected<base::Error> cannot_read(const std::filesystem::path& path, int error) {
  return text::fail("file_error.read", {{"path", path.string()}, system_reason(error)});
}

base::Result<InputFile> InputFile::open(const std::filesystem::path& path) {
  // Does not wait for a writer of a pipe; no effect on regular files.
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!descriptor.is_open()) return cannot_read(path, errno);
  struct stat status {};
  if (::fstat(descriptor.number(), &status) != 0) return cannot_read(path, errno);
  if (S_ISDIR(status.st_mode)) return cannot_read(path, EISDIR);
  if (!S_ISREG(status.st_mode)) {
    return text::fail("file_error.read",
                      {{"path", path.string()},
                       text::argument("reason", text::message("file_error.reason.device"))});
  }
  ::posix_fadvise(descriptor.number(), 0, 0, POSIX_FADV_SEQUENTIAL);
  return InputFile(path, std::move(descriptor), static_cast<std::uint64_t>(status.st_size));
}

base::Result<std::size_t> InputFile::read(std::span<char> to) {
  ssize_t got = 0;
  do {
    got = ::read(descriptor_.number(), to.data(), to.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) return cannot_read(path_, errno);
  position_ += static_cast<std::uint64_t>(got);
  return static_cast<std::size_t>(got);
}

}  // namespace ts::io
