#include "core/io/file_mark.h"

#include <zlib.h>

#include <cerrno>
#include <fstream>
#include <system_error>
#include <vector>

#include "core/io/file.h"
#include "core/text/message.h"

namespace ts::io {

base::Result<FileMark> file_mark(const std::filesystem::path& path) {
  const auto cannot = [&path](int error) {
    return text::fail("file_error.read", {{"path", path.string()}, system_reason(error)});
  };
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return cannot(ENOENT);
  if (error) return cannot(error.value());
  if (std::filesystem::is_directory(status)) return cannot(EISDIR);
  if (!std::filesystem::is_regular_file(status)) return cannot(EINVAL);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) return cannot(errno != 0 ? errno : EIO);
  FileMark mark;
  std::vector<char> piece(std::size_t{1} << 20);
  while (file) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    const auto count = static_cast<std::size_t>(file.gcount());
    mark.crc = static_cast<std::uint32_t>(
        crc32_z(mark.crc, reinterpret_cast<const Bytef*>(piece.data()), count));
    mark.bytes += count;
  }
  if (file.bad()) return cannot(EIO);
  return mark;
}

}  // namespace ts::io
