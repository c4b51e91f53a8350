#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace ts::capture {

// Buffers that CUPTI fills and returns on its own threads; one other thread reads them. All are
// allocated at once, so the callbacks never allocate. When none is free, CUPTI gets none and drops
// its records, and that is counted. Any thread; locks are held for a few instructions only.
class BufferPool {
 public:
  // About 500 launches fill a buffer; all together 16 MiB.
  static constexpr std::size_t kCount = 64;
  static constexpr std::size_t kBytes = 256U << 10U;
  static constexpr std::size_t kAlignment = 8;  // CUPTI's requirement for a buffer

  struct Filled {
    std::uint8_t* data = nullptr;
    std::size_t bytes = 0;
  };

  explicit BufferPool(std::size_t count = kCount, std::size_t bytes = kBytes);
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  [[nodiscard]] std::size_t buffer_bytes() const noexcept { return bytes_; }

  // Null when all are in use.
  std::uint8_t* take() noexcept;
  // Returns a buffer with records in its first `bytes` bytes; `lost` more did not fit.
  void fill(std::uint8_t* buffer, std::size_t bytes, std::uint64_t lost) noexcept;

  // The oldest buffer with records; pass it to recycle() after reading.
  [[nodiscard]] std::optional<Filled> next() noexcept;
  void recycle(std::uint8_t* buffer) noexcept;

  // Number of times that no buffer was free, and of records that CUPTI reported as lost.
  [[nodiscard]] std::uint64_t refused() const noexcept;
  [[nodiscard]] std::uint64_t lost() const noexcept;

 private:
  const std::size_t bytes_;
  std::unique_ptr<std::uint64_t[]> memory_;
  mutable std::mutex mutex_;
  std::vector<std::uint8_t*> free_;
  std::vector<Filled> filled_;  // oldest first
  std::uint64_t refused_ = 0;
  std::uint64_t lost_ = 0;
};

}  // namespace ts::capture
