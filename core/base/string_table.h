#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
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
  static constexpr std::uint32_t kChunkBits = 12;
  static constexpr std::uint32_t kChunkSize = 1U << kChunkBits;
  static constexpr std::uint32_t kMaxChunks = 1U << 12;
  struct Chunk {
    std::array<std::string, kChunkSize> strings;
  };

  std::mutex mutex_;
  std::unordered_map<std::string_view, StringId> index_;
  std::unique_ptr<std::array<std::atomic<Chunk*>, kMaxChunks>> chunks_;
  std::atomic<std::uint32_t> size_{0};
  std::atomic<std::uint64_t> overflowed_{0};
};

}  // namespace ts::base
