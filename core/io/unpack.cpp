#include "core/io/unpack.h"

#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "core/io/gunzip.h"
#include "core/text/message.h"

namespace ts::io {
namespace {

// Unpacks all members in sequence: gzip allows several.
class Unpacker {
 public:
  Unpacker(std::string_view packed, const Reading& how)
      : packed_(packed), how_(how), most_(std::min(most_unpacked(packed.size()), how.most)) {}

  base::Result<UnpackedFile> run() {
    UnpackedFile file;
    file.packed = packed_.size();
    file.content.resize(std::min(most_, expected_size()));
    for (bool more = gunzip_.ready(); more;) {
      if (!base::goes_on(how_.progress, used_, packed_.size()))
        return text::fail("file_error.stopped");
      if (size_ == how_.most) break;
      if (size_ == most_) return tl::unexpected(too_packed(most_));
      if (size_ == file.content.size()) file.content.resize(std::min(most_, 2 * size_));
      more = step(file);
    }
    file.content.resize(size_);
    if (!gunzip_.ready()) file.fault = text::message("pack_error.zlib");
    if (!file.fault.empty() && size_ == 0) return tl::unexpected(file.fault);
    return file;
  }

 private:
  // By the last four bytes, which tell the size of the last member where nothing is cut off, and
  // a little more, so that its end is seen. Only a size that files have: it is filled with zeros.
  [[nodiscard]] std::size_t expected_size() const {
    constexpr std::size_t kLeast = 4096;
    constexpr std::size_t kMore = 64;  // with room for the padding of scanners
    constexpr std::size_t kMostExpected = 16;
    std::uint32_t told = 0;
    if (packed_.size() >= sizeof(told))
      std::memcpy(&told, packed_.data() + packed_.size() - sizeof(told), sizeof(told));
    const bool likely = told > packed_.size() && told < kMostExpected * packed_.size();
    return std::max(likely ? told + kMore : kUsualRatio * packed_.size(), kLeast);
  }
  // Returns false at the end.
  bool step(UnpackedFile& file) {
    const Gunzip::Step step =
        gunzip_.step(packed_.substr(used_), std::span(file.content).subspan(size_));
    used_ += step.used;
    size_ += step.made;
    if (step.state == Gunzip::State::ended) return false;
    if (step.state == Gunzip::State::damaged) {
      file.fault = text::message("pack_error.damaged", {{"byte", std::to_string(used_)}});
    } else if (used_ == packed_.size() && size_ < file.content.size()) {
      file.fault = text::message("pack_error.cut");
    }
    return file.fault.empty();
  }

  std::string_view packed_;
  Reading how_;
  std::size_t most_;
  std::size_t used_ = 0;
  std::size_t size_ = 0;
  Gunzip gunzip_;
};

// Packs what it is given as one member, and hands on what came of it.
class Gzip {
 public:
  explicit Gzip(const WritePiece& to) : to_(to), packed_(kPiece, '\0') {
    constexpr int kGzip = 16 + MAX_WBITS;
    constexpr int kUsualMemory = 8;
    ready_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kUsualMemory,
                          Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Gzip() { deflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  [[nodiscard]] bool ready() const { return ready_; }  // zlib has its memory

  void write(std::string_view piece) {
    // zlib counts 32 bits.
    for (; piece.size() > kMost; piece.remove_prefix(kMost)) step(piece.substr(0, kMost), false);
    step(piece, false);
  }
  void finish() { step({}, true); }

 private:
  static constexpr std::size_t kPiece = std::size_t{1} << 18U;
  static constexpr std::size_t kMost = std::size_t{1} << 30U;

  void step(std::string_view piece, bool last) {
    // zlib does not write through it; its API is older than const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream_.avail_in = static_cast<uInt>(piece.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(packed_.data());
      stream_.avail_out = static_cast<uInt>(packed_.size());
      deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH);
      const std::size_t made = packed_.size() - stream_.avail_out;
      if (made > 0) to_(std::string_view(packed_).substr(0, made));
    } while (stream_.avail_out == 0);
  }

  const WritePiece& to_;
  std::string packed_;
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

std::size_t most_unpacked(std::size_t packed) {
  const auto pages = static_cast<std::size_t>(std::max<long>(::sysconf(_SC_PHYS_PAGES), 0));
  const auto page = static_cast<std::size_t>(std::max<long>(::sysconf(_SC_PAGESIZE), 0));
  const std::size_t memory = std::max(pages * page / 2, kAlwaysUnpacked);
  return std::min(std::max(kAlwaysUnpacked, kMostRatio * packed), memory);
}

std::uint64_t likely_unpacked(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(path, error);
  if (error) return 0;
  return is_packed_name(path) ? kUsualRatio * bytes : bytes;
}

base::Message too_packed(std::size_t most) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  return text::message("pack_error.bomb", {{"most", std::to_string(most / kMiB)}});
}

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
  TS_TRY(auto content, read_file(path, how));
  auto file = unpack(std::move(content), how);
  if (!file)
    return text::fail("file_error.read",
                      {{"path", path.string()}, text::argument("reason", std::move(file.error()))});
  return file;
}

base::Result<void> write_as_named_unless(
    const std::filesystem::path& path,
    const std::function<base::Result<void>(const WritePiece&)>& produce) {
  if (!is_packed_name(path)) return write_file_unless(path, produce);
  return write_file_unless(path, [&](const WritePiece& write) -> base::Result<void> {
    Gzip gzip(write);
    if (!gzip.ready()) {
      return text::fail(
          "file_error.write",
          {{"path", path.string()}, text::argument("reason", text::message("pack_error.zlib"))});
    }
    if (auto made = produce([&gzip](std::string_view piece) { gzip.write(piece); }); !made)
      return made;
    gzip.finish();
    return {};
  });
}

base::Result<void> write_as_named(const std::filesystem::path& path,
                                  const std::function<void(const WritePiece&)>& produce) {
  return write_as_named_unless(path, [&produce](const WritePiece& write) -> base::Result<void> {
    produce(write);
    return {};
  });
}

}  // namespace ts::io
