#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace ts::capture {

// Buffers that CUPTI fills and gives back on threads of its own; one other thread reads them. All
// are made at once, so the callbacks never allocate; when none is free CUPTI is told so, drops what
// it had, and that is counted. Any thread; what locks does so for a few instructions.
class BufferPool {
 public:
  // A full buffer needs about 500 launches; all together 16 MiB.
  static constexpr std::size_t kCount = 64;
  static constexpr std::size_t kBytes = 256U << 10U;
  static constexpr std::size_t kAlignment = 8;  // what CUPTI asks of a buffer

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
  // Gives back a buffer with records in its first `bytes` bytes; `lost` more found no room.
  void fill(std::uint8_t* buffer, std::size_t bytes, std::uint64_t lost) noexcept;

  // The oldest buffer with records, to be given to recycle() when it is read.
  [[nodiscard]] std::optional<Filled> next() noexcept;
  void recycle(std::uint8_t* buffer) noexcept;

  // Times that no buffer was free, and records that CUPTI says it lost.
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
