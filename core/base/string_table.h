#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ts::base {

// Index of an interned string. 0 is the empty string.
using StringId = std::uint32_t;
inline constexpr StringId kNoString = 0;

// Append-only table of distinct strings. intern() may be called from any thread (it locks); view()
// never locks and may run at the same time for any id that intern() has returned. Views stay valid
// as long as the table lives. Holds at most 2^24 strings; after that intern() returns kNoString and
// overflowed() counts.
class StringTable {
 public:
  StringTable();
  ~StringTable();
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  StringId intern(std::string_view text);
  [[nodiscard]] std::string_view view(StringId id) const noexcept;
  [[nodiscard]] std::uint32_t size() const noexcept {
    return size_.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t overflowed() const noexcept {
    return overflowed_.load(std::memory_order_relaxed);
  }

 private:
  // The first chunk holds 2^kFirstBits strings and each further one twice as many: a table of few
  // strings is small, and a place follows from an id alone.
  static constexpr std::uint32_t kFirstBits = 6;
  static constexpr std::uint32_t kMaxBits = 24;
  struct Place {
    std::size_t chunk;
    std::size_t index;
  };
  static constexpr Place place_of(StringId id) noexcept;

  std::mutex mutex_;
  std::unordered_map<std::string_view, StringId> index_;
  std::array<std::atomic<std::string*>, kMaxBits - kFirstBits + 1> chunks_{};
  std::atomic<std::uint32_t> size_{0};
  std::atomic<std::uint64_t> overflowed_{0};
};

}  // namespace ts::base
