#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/base/result.h"
#include "core/io/file.h"

namespace ts::io {

struct UnpackedFile {
  std::string content;
  std::size_t packed = 0;    // bytes of the file where it was packed; 0: it was not
  base::Message fault = {};  // why a packed file was unpacked only in part; empty: it is complete
};

// Limits of the unpacked size: this for small files, kMostRatio times their size for larger ones,
// and never more than half of the machine's memory: gzip packs a gigabyte of zeros into a megabyte.
inline constexpr std::size_t kAlwaysUnpacked = std::size_t{256} << 20;
inline constexpr std::size_t kMostRatio = 200;

// The limit for a packed file of that size, and the message that it is passed.
std::size_t most_unpacked(std::size_t packed);
base::Message too_packed(std::size_t most);

// Bytes that one of a packed snapshot or trace becomes, usually; for room, and for questions before
// anybody has read the file.
inline constexpr std::uint64_t kUsualRatio = 8;

// Whether a file's name says that gzip packed it.
inline bool is_packed_name(const std::filesystem::path& path) {
  return path.extension() == ".gz";
}
// The name without that: "a.json" of "a.json.gz", whose ending tells the format of the content.
inline std::filesystem::path unpacked_name(const std::filesystem::path& path) {
  return is_packed_name(path) ? path.parent_path() / path.stem() : path;
}
// The size of a file's content, by the usual ratio where its name says that it is packed. 0 where
// there is no file.
std::uint64_t likely_unpacked(const std::filesystem::path& path);

// Reads a file, and unpacks it if its first bytes are those of gzip. Errors as read_file(), and for
// a packed file whose content is empty or too large. `how.most` counts what is unpacked, too.
base::Result<UnpackedFile> read_unpacked(const std::filesystem::path& path,
                                         const Reading& how = {});

// The same for a file's content; messages do not name the file. Other content is returned as it is.
base::Result<UnpackedFile> unpack(std::string content, const Reading& how = {});

// As write_file() and write_file_unless(), packed by gzip where the name says so.
base::Result<void> write_as_named(const std::filesystem::path& path,
                                  const std::function<void(const WritePiece&)>& produce);
base::Result<void> write_as_named_unless(
    const std::filesystem::path& path,
    const std::function<base::Result<void>(const WritePiece&)>& produce);

}  // namespace ts::io
