#include "core/io/zip_archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "core/io/file.h"
#include "core/io/input_file.h"
#include "core/text/message.h"

namespace ts::io {
namespace {

// Records of a ZIP archive, from its specification (PKWARE APPNOTE 6.3.10, section 4.3). Numbers
// are little-endian.
constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kDirectoryHeader = 0x02014b50;
constexpr std::uint32_t kEnd = 0x06054b50;
constexpr std::uint32_t kEnd64 = 0x06064b50;
constexpr std::uint32_t kLocator64 = 0x07064b50;
constexpr std::size_t kLocalSize = 30, kDirectorySize = 46, kEndSize = 22, kEnd64Size = 56,
                      kLocatorSize = 20;
constexpr std::uint16_t kStored = 0, kDeflated = 8, kEncrypted = 1, kExtra64 = 1;
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;
constexpr std::uint16_t kIn64Short = 0xFFFF;

template <class Number>
Number number_at(std::string_view bytes, std::size_t at) {
  Number number = 0;
  for (std::size_t i = sizeof(Number); i-- > 0;) {
    number = static_cast<Number>(number << 8U | static_cast<unsigned char>(bytes[at + i]));
  }
  return number;
}

tl::unexpected<base::Error> damaged() {
  return text::fail("zip_error.damaged");
}

tl::unexpected<base::Error> damaged(const ZipArchive::Member& member) {
  return text::fail("zip_error.member", {{"name", member.name}});
}

// Sizes and offset of a member that do not fit 32 bits stand in an extra field, in this order.
bool read_extra64(std::string_view extra, ZipArchive::Member& member, std::uint32_t packed,
                  std::uint32_t size, std::uint32_t offset) {
  constexpr std::size_t kHead = 4;
  while (extra.size() >= kHead) {
    const auto id = number_at<std::uint16_t>(extra, 0);
    const auto length = number_at<std::uint16_t>(extra, 2);
    extra.remove_prefix(kHead);
    if (length > extra.size()) return false;
    std::string_view field = extra.substr(0, length);
    extra.remove_prefix(length);
    if (id != kExtra64) continue;
    const auto take = [&field](std::uint32_t short_value, std::uint64_t& value) {
      if (short_value != kIn64) return true;
      if (field.size() < sizeof value) return false;
      value = number_at<std::uint64_t>(field, 0);
      field.remove_prefix(sizeof value);
      return true;
    };
    return take(size, member.size) && take(packed, member.packed) && take(offset, member.offset);
  }
  return packed != kIn64 && size != kIn64 && offset != kIn64;
}

// Unpacks raw deflate into exactly `to`.
bool inflate_into(std::string_view packed, std::span<char> to) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  constexpr std::size_t kMost = std::numeric_limits<uInt>::max();
  std::size_t used = 0, written = 0;
  int code = Z_OK;
  while (code == Z_OK) {
    const auto given = static_cast<uInt>(std::min(packed.size() - used, kMost));
    const auto room = static_cast<uInt>(std::min(to.size() - written, kMost));
    // zlib does not write through it; its interface is older than const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + used));
    stream.avail_in = given;
    char none = 0;
    stream.next_out = reinterpret_cast<Bytef*>(room > 0 ? to.data() + written : &none);
    stream.avail_out = room;
    code = inflate(&stream, Z_NO_FLUSH);
    used += given - stream.avail_in;
    written += room - stream.avail_out;
  }
  inflateEnd(&stream);
  return code == Z_STREAM_END && written == to.size();
}

std::uint32_t checksum(std::span<const char> bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

// The bytes of the archive: a file or a string.
class ZipArchive::Source {
 public:
  explicit Source(std::string content) : content_(std::move(content)), size_(content_.size()) {}
  Source(Descriptor file, std::uint64_t size) : file_(std::move(file)), size_(size) {}

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool read(std::uint64_t offset, std::span<char> to) const {
    if (offset > size_ || to.size() > size_ - offset) return false;
    if (file_.is_open()) return read_at(file_.number(), offset, to) == to.size();
    if (!to.empty()) std::memcpy(to.data(), content_.data() + offset, to.size());
    return true;
  }
  [[nodiscard]] std::optional<std::string> piece(std::uint64_t offset, std::uint64_t size) const {
    if (offset > size_ || size > size_ - offset) return std::nullopt;
    std::string bytes(size, '\0');
    if (!read(offset, bytes)) return std::nullopt;
    return bytes;
  }

 private:
  std::string content_;
  Descriptor file_;
  std::uint64_t size_;
};

ZipArchive::ZipArchive(std::unique_ptr<Source> source) : source_(std::move(source)) {}
ZipArchive::ZipArchive(ZipArchive&&) noexcept = default;
ZipArchive& ZipArchive::operator=(ZipArchive&&) noexcept = default;
ZipArchive::~ZipArchive() = default;

base::Result<ZipArchive> ZipArchive::open(const std::filesystem::path& path) {
  const auto refused = [&path](int error) {
    return text::fail("file_error.read", {{"path", path.string()}, system_reason(error)});
  };
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) return refused(errno);
  struct stat status {};
  if (::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) return refused(EISDIR);
    return text::fail("zip_error.not_zip");
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  return from(std::make_unique<Source>(std::move(file), size));
}

base::Result<ZipArchive> ZipArchive::of_bytes(std::string content) {
  return from(std::make_unique<Source>(std::move(content)));
}

base::Result<ZipArchive> ZipArchive::from(std::unique_ptr<Source> source) {
  ZipArchive archive(std::move(source));
  TS_TRY_DONE(archive.read_directory());
  return archive;
}

base::Result<void> ZipArchive::read_directory() {
  // The end record is the last one, behind it a comment of up to 64 KiB.
  constexpr std::uint64_t kLongestComment = 0xFFFF;
  const std::uint64_t tail_size =
      std::min<std::uint64_t>(source_->size(), kEndSize + kLongestComment);
  const auto tail = source_->piece(source_->size() - tail_size, tail_size);
  if (!tail) return damaged();
  constexpr std::string_view kEndMark = "PK\5\6";
  const std::size_t at = tail->rfind(kEndMark);
  if (at == std::string::npos) return text::fail("zip_error.not_zip");
  if (tail->size() - at < kEndSize) return damaged();
  const std::string_view end = std::string_view(*tail).substr(at);
  const std::uint64_t end_offset = source_->size() - tail_size + at;
  std::uint64_t count = number_at<std::uint16_t>(end, 10);
  std::uint64_t size = number_at<std::uint32_t>(end, 12);
  std::uint64_t offset = number_at<std::uint32_t>(end, 16);
  if (count == kIn64Short || size == kIn64 || offset == kIn64) {
    if (end_offset < kLocatorSize) return damaged();
    const auto locator = source_->piece(end_offset - kLocatorSize, kLocatorSize);
    if (!locator || number_at<std::uint32_t>(*locator, 0) != kLocator64) return damaged();
    const auto wide = source_->piece(number_at<std::uint64_t>(*locator, 8), kEnd64Size);
    if (!wide || number_at<std::uint32_t>(*wide, 0) != kEnd64) return damaged();
    count = number_at<std::uint64_t>(*wide, 32);
    size = number_at<std::uint64_t>(*wide, 40);
    offset = number_at<std::uint64_t>(*wide, 48);
  }
  if (count > kMostMembers || size > kMostDirectory) return text::fail("zip_error.many");
  const auto directory = source_->piece(offset, size);
  if (!directory || count > size / kDirectorySize) return damaged();
  std::string_view left = *directory;
  members_.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    if (left.size() < kDirectorySize || number_at<std::uint32_t>(left, 0) != kDirectoryHeader) {
      return damaged();
    }
    const auto flags = number_at<std::uint16_t>(left, 8);
    Member member;
    member.method = number_at<std::uint16_t>(left, 10);
    member.crc = number_at<std::uint32_t>(left, 16);
    const auto packed = number_at<std::uint32_t>(left, 20);
    const auto unpacked = number_at<std::uint32_t>(left, 24);
    const std::size_t name = number_at<std::uint16_t>(left, 28);
    const std::size_t extra = number_at<std::uint16_t>(left, 30);
    const std::size_t comment = number_at<std::uint16_t>(left, 32);
    const auto local = number_at<std::uint32_t>(left, 42);
    if (left.size() - kDirectorySize < name + extra + comment) return damaged();
    member.name = left.substr(kDirectorySize, name);
    member.packed = packed;
    member.size = unpacked;
    member.offset = local;
    if (!read_extra64(left.substr(kDirectorySize + name, extra), member, packed, unpacked, local)) {
      return damaged();
    }
    if ((flags & kEncrypted) != 0) member.method = kIn64Short;
    left.remove_prefix(kDirectorySize + name + extra + comment);
    members_.push_back(std::move(member));
  }
  return {};
}

const ZipArchive::Member* ZipArchive::find(std::string_view name) const {
  const auto found = std::ranges::find(members_, name, &Member::name);
  return found == members_.end() ? nullptr : &*found;
}

base::Result<std::string> ZipArchive::read(const Member& member, std::size_t most) const {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  if (member.size > most) {
    return text::fail("zip_error.large",
                      {{"name", member.name}, {"most", std::to_string(most / kMiB)}});
  }
  std::string content;
  try {
    content.resize(member.size);
  } catch (const std::bad_alloc&) {
    return text::fail("pack_error.memory");
  }
  TS_TRY_DONE(read_into(member, content));
  return content;
}

base::Result<void> ZipArchive::read_into(const Member& member, std::span<char> to) const {
  if (to.size() != member.size) return damaged(member);
  if (member.method != kStored && member.method != kDeflated) {
    return text::fail("zip_error.method", {{"name", member.name}});
  }
  const auto header = source_->piece(member.offset, kLocalSize);
  if (!header || number_at<std::uint32_t>(*header, 0) != kLocalHeader) return damaged(member);
  const std::uint64_t begin = member.offset + kLocalSize + number_at<std::uint16_t>(*header, 26) +
                              number_at<std::uint16_t>(*header, 28);
  if (member.method == kStored) {
    if (member.packed != member.size || !source_->read(begin, to)) return damaged(member);
  } else {
    const auto packed = source_->piece(begin, member.packed);
    if (!packed || !inflate_into(*packed, to)) return damaged(member);
  }
  if (checksum(to) != member.crc) return damaged(member);
  return {};
}

}  // namespace ts::io
