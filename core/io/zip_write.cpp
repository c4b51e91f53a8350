#include "core/io/zip_write.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/check.h"
#include "core/io/file.h"
#include "core/text/message.h"

namespace ts::io {
namespace {

// APPNOTE.TXT of PKWARE, 4.3.7, 4.3.12 and 4.3.16, without ZIP64.
constexpr std::uint32_t kMemberMark = 0x04034b50;
constexpr std::uint32_t kEntryMark = 0x02014b50;
constexpr std::uint32_t kEndMark = 0x06054b50;
constexpr std::uint64_t kVersion = 20;       // deflate
constexpr std::uint64_t kUtf8 = 0x0800;      // of the flags: names are UTF-8
constexpr std::uint64_t kFirstDay = 0x0021;  // 1980-01-01: equal files give equal archives
constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint32_t>::max();

void put(std::string& to, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    to += static_cast<char>(number & 0xFFU);
    number >>= 8U;
  }
}

std::string deflated(std::string_view content) {
  z_stream stream{};
  // Negative bits: the bare stream, without a header of zlib's.
  TS_CHECK(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
                        Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));  // only read
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  TS_CHECK(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

// Version to lengths: the part that both headers of a member have.
std::string member_fields(std::string_view name, std::string_view content,
                          std::string_view packed) {
  std::string fields;
  put(fields, kVersion, 2);
  put(fields, kUtf8, 2);
  put(fields, Z_DEFLATED, 2);
  put(fields, 0, 2);  // time
  put(fields, kFirstDay, 2);
  put(fields, crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()), 4);
  put(fields, packed.size(), 4);
  put(fields, content.size(), 4);
  put(fields, name.size(), 2);
  put(fields, 0, 2);  // further fields
  return fields;
}

bool hidden(const std::filesystem::path& relative) {
  return std::ranges::any_of(
      relative, [](const std::filesystem::path& part) { return part.string().starts_with('.'); });
}

std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (auto entry = std::filesystem::recursive_directory_iterator(folder, error);
       !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(entry->symlink_status(ignored))) continue;
    auto relative = entry->path().lexically_relative(folder);
    if (!hidden(relative)) found.push_back(std::move(relative));
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

bool ZipMaker::add(const std::string& name, std::string_view content) {
  if (content.size() >= kMostBytes || members_ >= 65'534) return false;
  const std::string packed = deflated(content);
  if (size_ + packed.size() + directory_.size() >= kMostBytes / 2) return false;
  const std::string fields = member_fields(name, content, packed);
  std::string local;
  put(local, kMemberMark, 4);
  local += fields + name;
  put(directory_, kEntryMark, 4);
  put(directory_, kVersion, 2);
  directory_ += fields;
  put(directory_, 0, 2 + 2 + 2 + 4);  // comment, disk, attributes
  put(directory_, size_, 4);
  directory_ += name;
  write_(local);
  write_(packed);
  size_ += local.size() + packed.size();
  ++members_;
  return true;
}

void ZipMaker::end() {
  std::string end;
  put(end, kEndMark, 4);
  put(end, 0, 2 + 2);  // disks
  put(end, members_, 2);
  put(end, members_, 2);
  put(end, directory_.size(), 4);
  put(end, size_, 4);
  put(end, 0, 2);  // comment
  write_(directory_);
  write_(end);
}

base::Result<void> write_zip(const std::filesystem::path& archive,
                             const std::filesystem::path& folder, const std::string& name) {
  std::optional<base::Error> problem;
  auto written = write_file(archive, [&](const WritePiece& write) {
    ZipMaker zip(write);
    for (const auto& file : files_below(folder)) {
      const auto content = read_file(folder / file);
      if (!content) {
        problem = content.error();
        return;
      }
      if (!zip.add(name + "/" + file.generic_string(), *content)) {
        problem = text::fail("file_error.zip_too_large", {{"path", folder.string()}}).value();
        return;
      }
    }
    zip.end();
  });
  if (problem) {
    std::error_code ignored;
    std::filesystem::remove(archive, ignored);
    return tl::unexpected(*problem);
  }
  return written;
}

}  // namespace ts::io
