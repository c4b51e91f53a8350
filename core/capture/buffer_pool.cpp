#include "core/capture/buffer_pool.h"

namespace ts::capture {

BufferPool::BufferPool(std::size_t count, std::size_t bytes)
    : bytes_(bytes / sizeof(std::uint64_t) * sizeof(std::uint64_t)),
      memory_(std::make_unique<std::uint64_t[]>(count * (bytes_ / sizeof(std::uint64_t)))) {
  free_.reserve(count);
  filled_.reserve(count);
  for (std::size_t i = count; i > 0; --i) {
    free_.push_back(reinterpret_cast<std::uint8_t*>(memory_.get()) + (i - 1) * bytes_);
  }
}

std::uint8_t* BufferPool::take() noexcept {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    ++refused_;
    return nullptr;
  }
  std::uint8_t* const buffer = free_.back();
  free_.pop_back();
  return buffer;
}

void BufferPool::fill(std::uint8_t* buffer, std::size_t bytes, std::uint64_t lost) noexcept {
  const std::lock_guard lock(mutex_);
  lost_ += lost;
  if (bytes == 0) {
    free_.push_back(buffer);
  } else {
    filled_.push_back({buffer, bytes});
  }
}

std::optional<BufferPool::Filled> BufferPool::next() noexcept {
  const std::lock_guard lock(mutex_);
  if (filled_.empty()) return std::nullopt;
  const Filled oldest = filled_.front();
  filled_.erase(filled_.begin());
  return oldest;
}

void BufferPool::recycle(std::uint8_t* buffer) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(buffer);
}

std::uint64_t BufferPool::refused() const noexcept {
  const std::lock_guard lock(mutex_);
  return refused_;
}

std::uint64_t BufferPool::lost() const noexcept {
  const std::lock_guard lock(mutex_);
  return lost_;
}

}  // namespace ts::capture
