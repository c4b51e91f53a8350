#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <vector>

namespace ts::base {

// Lock-free ring of plain records between exactly one producer thread and one consumer thread.
// A full ring refuses the record and counts it: the producer never waits.
//
// It is one of segments, which the consumer gives back when it has emptied them. A new segment is
// made only where none is free, so a ring takes as much memory as the most that waited, and where
// the consumer is quick the same few segments are written again and again.
template <class T>
class SpscRing {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // Has room for at least `capacity` waiting records. A segment has `segment` of them, or all.
  explicit SpscRing(std::size_t capacity, std::size_t segment = std::size_t{1} << 12)
      : segment_(std::min(segment, capacity)),
        most_((capacity + segment_ - 1) / segment_ + 1),  // one may be half empty
        order_(std::make_unique<Slots[]>(most_)),
        free_(std::make_unique<Slots[]>(most_)) {
    owned_.reserve(most_);
  }

  // Producer only. Returns false and increments dropped() when the ring is full.
  bool try_push(const T& record) noexcept {
    return try_write([&record](T& slot) { slot = record; });
  }
  // The same for a record that is written where it stays: write(slot) gets what an earlier record
  // left there, or undefined bytes.
  template <class Write>
  bool try_write(const Write& write) noexcept {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (written_ == segment_ && !begin_segment()) [[unlikely]] {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return false;
    }
    write(writing_[written_++]);
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

  // Consumer only. Calls take(record) for up to `most` waiting records; returns how many.
  template <class Take>
  std::size_t drain(Take&& take, std::size_t most = SIZE_MAX) {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(head - tail_, most));
    for (std::size_t left = count; left > 0;) {
      const std::size_t begin = static_cast<std::size_t>(tail_ % segment_);
      const std::size_t end = std::min(begin + left, segment_);
      T* const slots = order_[tail_ / segment_ % most_];
      for (std::size_t i = begin; i < end; ++i) take(slots[i]);
      tail_ += end - begin;
      left -= end - begin;
      if (end == segment_) give_back(slots);
    }
    return count;
  }

  [[nodiscard]] std::uint64_t dropped() const noexcept {
    return dropped_.load(std::memory_order_relaxed);
  }
  // The most that can wait.
  [[nodiscard]] std::size_t capacity() const noexcept { return most_ * segment_; }

 private:
  using Slots = T*;
  struct Free {
    void operator()(Slots slots) const noexcept { std::free(slots); }
  };

  // The producer's next segment: one that was given back, else a new one.
  bool begin_segment() noexcept {
    Slots next = nullptr;
    if (taken_back_ != given_back_.load(std::memory_order_acquire)) {
      next = free_[taken_back_++ % most_];
    } else if (owned_.size() < most_) {
      next = static_cast<Slots>(std::malloc(segment_ * sizeof(T)));  // its pages stay untouched
      if (next != nullptr) owned_.emplace_back(next);
    }
    if (next == nullptr) return false;
    // The consumer reads it after `head_` has counted its first record.
    order_[begun_++ % most_] = writing_ = next;
    written_ = 0;
    return true;
  }
  void give_back(Slots slots) noexcept {
    const std::uint64_t before = given_back_.load(std::memory_order_relaxed);
    free_[before % most_] = slots;
    given_back_.store(before + 1, std::memory_order_release);
  }

  const std::size_t segment_;
  const std::size_t most_;                // segments
  const std::unique_ptr<Slots[]> order_;  // the n-th that was written is at n % most_
  const std::unique_ptr<Slots[]> free_;   // the n-th that was given back
  // The producer's.
  alignas(64) std::atomic<std::uint64_t> head_{0};
  Slots writing_ = nullptr;
  std::size_t written_ = segment_;  // records of the segment that is written; all: it is full
  std::uint64_t begun_ = 0;
  std::uint64_t taken_back_ = 0;
  std::vector<std::unique_ptr<T[], Free>> owned_;
  std::atomic<std::uint64_t> dropped_{0};
  // The consumer's.
  alignas(64) std::uint64_t tail_ = 0;
  std::atomic<std::uint64_t> given_back_{0};
};

}  // namespace ts::base
