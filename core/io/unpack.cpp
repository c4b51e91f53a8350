#include "core/io/unpack.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

#include "core/io/file.h"
#include "core/text/message.h"

namespace ts::io {
namespace {

bool is_gzip(std::string_view content) {
  return content.starts_with("\x1F\x8B");
}

std::size_t most_for(std::size_t packed) {
  const auto pages = static_cast<std::size_t>(std::max<long>(::sysconf(_SC_PHYS_PAGES), 0));
  const auto page = static_cast<std::size_t>(std::max<long>(::sysconf(_SC_PAGESIZE), 0));
  const std::size_t memory = std::max(pages * page / 2, kAlwaysUnpacked);
  return std::min(std::max(kAlwaysUnpacked, kMostRatio * packed), memory);
}

// Unpacks all members in sequence: gzip allows several.
class Unpacker {
 public:
  Unpacker(std::string_view packed, const Reading& how)
      : packed_(packed), how_(how), most_(std::min(most_for(packed.size()), how.most)) {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK;
    // zlib does not write through it; its API is older than const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  }
  ~Unpacker() { inflateEnd(&stream_); }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;

  base::Result<UnpackedFile> run() {
    UnpackedFile file;
    file.packed = packed_.size();
    file.content.resize(std::min(most_, expected_size()));
    for (bool more = ready_; more;) {
      if (!base::goes_on(how_.progress, used_, packed_.size()))
        return text::fail("file_error.stopped");
      if (size_ == how_.most) break;
      if (size_ == most_) return too_much();
      if (size_ == file.content.size()) file.content.resize(std::min(most_, 2 * size_));
      more = step(file);
    }
    file.content.resize(size_);
    if (!ready_) file.fault = text::message("pack_error.zlib");
    if (!file.fault.empty() && size_ == 0) return tl::unexpected(file.fault);
    return file;
  }

 private:
  // By the last four bytes, which tell the size of the last member where nothing is cut off, and
  // a little more, so that its end is seen. Only a size that files have: it is filled with zeros.
  [[nodiscard]] std::size_t expected_size() const {
    constexpr std::size_t kLeast = 4096;
    constexpr std::size_t kMore = 64;  // with room for the padding of scanners
    constexpr std::size_t kUsualRatio = 8;
    constexpr std::size_t kMostExpected = 16;
    std::uint32_t told = 0;
    if (packed_.size() >= sizeof(told))
      std::memcpy(&told, packed_.data() + packed_.size() - sizeof(told), sizeof(told));
    const bool likely = told > packed_.size() && told < kMostExpected * packed_.size();
    return std::max(likely ? told + kMore : kUsualRatio * packed_.size(), kLeast);
  }
  // Returns false at the end.
  bool step(UnpackedFile& file) {
    constexpr std::size_t kMost = std::size_t{1} << 24U;  // between two looks at the progress
    const std::size_t left = packed_.size() - used_;
    const std::size_t room = file.content.size() - size_;
    stream_.avail_in = static_cast<uInt>(std::min(left, kMost));
    stream_.avail_out = static_cast<uInt>(std::min(room, kMost));
    stream_.next_out = reinterpret_cast<Bytef*>(file.content.data() + size_);
    const uInt given = stream_.avail_in;
    const uInt offered = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    used_ += given - stream_.avail_in;
    size_ += offered - stream_.avail_out;
    if (code == Z_STREAM_END) {
      // Zeros, or other data that is not a member, may pad the end of a file.
      return is_gzip(packed_.substr(used_)) && inflateReset(&stream_) == Z_OK;
    }
    if (code != Z_OK && code != Z_BUF_ERROR) {
      file.fault = text::message("pack_error.damaged", {{"byte", std::to_string(used_)}});
    } else if (used_ == packed_.size() && stream_.avail_out > 0) {
      file.fault = text::message("pack_error.cut");
    }
    return file.fault.empty();
  }

  [[nodiscard]] tl::unexpected<base::Error> too_much() const {
    constexpr std::size_t kMiB = std::size_t{1} << 20;
    return text::fail("pack_error.bomb", {{"most", std::to_string(most_ / kMiB)}});
  }

  std::string_view packed_;
  Reading how_;
  std::size_t most_;
  std::size_t used_ = 0;
  std::size_t size_ = 0;
  bool ready_ = false;
  z_stream stream_{};
};

}  // namespace

base::Result<UnpackedFile> unpack(std::string content, const Reading& how) {
  if (!is_gzip(content)) return UnpackedFile{.content = std::move(content)};
  try {
    return Unpacker(content, how).run();
  } catch (const std::bad_alloc&) {
    return text::fail("pack_error.memory");
  } catch (const std::length_error&) {
    return text::fail("pack_error.memory");
  }
}

base::Result<UnpackedFile> read_unpacked(const std::filesystem::path& path, const Reading& how) {
  auto content = read_file(path, how);
  if (!content) return tl::unexpected(content.error());
  auto file = unpack(std::move(*content), how);
  if (!file)
    return text::fail("file_error.read",
                      {{"path", path.string()}, text::argument("reason", std::move(file.error()))});
  return file;
}

}  // namespace ts::io
