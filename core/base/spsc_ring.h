#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace ts::base {

// Lock-free ring of plain records between exactly one producer thread and one consumer thread.
// A full ring refuses the record and counts it: the producer never waits.
template <class T>
class SpscRing {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // capacity is rounded up to a power of two.
  explicit SpscRing(std::size_t capacity)
      : mask_(std::bit_ceil(capacity) - 1), slots_(std::make_unique<T[]>(mask_ + 1)) {}

  // Producer only. Returns false and increments dropped() when the ring is full.
  bool try_push(const T& record) noexcept {
    return try_write([&record](T& slot) { slot = record; });
  }
  // The same for a record that is written where it stays: write(slot) gets what an earlier record
  // left there.
  template <class Write>
  bool try_write(const Write& write) noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - cached_tail_ > mask_) {
      cached_tail_ = tail_.load(std::memory_order_acquire);
      if (head - cached_tail_ > mask_) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return false;
      }
    }
    write(slots_[head & mask_]);
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  // Consumer only. Calls take(record) for up to `most` waiting records; returns how many.
  template <class Take>
  std::size_t drain(Take&& take, std::size_t most = SIZE_MAX) {
    const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    std::size_t count = static_cast<std::size_t>(head - tail);
    if (count > most) count = most;
    for (std::size_t i = 0; i < count; ++i) take(slots_[(tail + i) & mask_]);
    tail_.store(tail + count, std::memory_order_release);
    return count;
  }

  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return dropped_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return mask_ + 1; }

 private:
  const std::size_t mask_;
  std::unique_ptr<T[]> slots_;
  alignas(64) std::atomic<std::uint64_t> head_{0};
  std::uint64_t cached_tail_ = 0;  // producer's last read of tail_
  std::atomic<std::uint64_t> dropped_{0};
  alignas(64) std::atomic<std::uint64_t> tail_{0};
};

}  // namespace ts::base
