#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

namespace ts::io {

inline bool is_gzip(std::string_view content) {
  return content.starts_with("\x1F\x8B");
}

// Unpacks gzip piece by piece, all members in sequence: the format allows several. Private to the
// readers of files.
class Gunzip {
 public:
  Gunzip() {
    constexpr int kGzipOnly = 16 + MAX_WBITS;
    ready_ = inflateInit2(&stream_, kGzipOnly) == Z_OK;
  }
  ~Gunzip() { inflateEnd(&stream_); }
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  [[nodiscard]] bool ready() const { return ready_; }  // zlib has its memory

  enum class State { more, ended, damaged };
  struct Step {
    std::size_t used = 0;  // bytes of what is packed
    std::size_t made = 0;  // bytes of what it is
    State state = State::more;
  };
  // `packed` goes on where the last step ended; all of a member's header or the end of the file is
  // in it. At most 16 MiB of each at a time.
  Step step(std::string_view packed, std::span<char> to) {
    constexpr std::size_t kMost = std::size_t{1} << 24U;
    // zlib does not write through it; its API is older than const.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(std::min(packed.size(), kMost));
    stream_.next_out = reinterpret_cast<Bytef*>(to.data());
    stream_.avail_out = static_cast<uInt>(std::min(to.size(), kMost));
    const uInt given = stream_.avail_in;
    const uInt offered = stream_.avail_out;
    const int code = inflate(&stream_, Z_NO_FLUSH);
    Step step{.used = given - stream_.avail_in, .made = offered - stream_.avail_out};
    if (code == Z_STREAM_END) {
      // Zeros, or other data that is not a member, may pad the end of a file.
      const bool again = is_gzip(packed.substr(step.used)) && inflateReset(&stream_) == Z_OK;
      step.state = again ? State::more : State::ended;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      step.state = State::damaged;
    }
    return step;
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace ts::io
