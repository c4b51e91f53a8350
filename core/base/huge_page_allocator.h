#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "core/base/memory_pages.h"

namespace ts::base {

// An allocator that asks for large pages for what is at least as large as one: for vectors that
// grow to hundreds of megabytes, where the first touch of each page of 4 KiB costs more than what
// is written to it. May throw std::bad_alloc, as every allocator.
template <class T>
struct HugePageAllocator {
  using value_type = T;
  HugePageAllocator() = default;
  template <class U>
  HugePageAllocator(const HugePageAllocator<U>&) noexcept {}  // as the standard wants it: implicit
  template <class U>
  bool operator==(const HugePageAllocator<U>&) const noexcept {
    return true;
  }

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T))
      throw std::bad_array_new_length();
    const std::size_t bytes = count * sizeof(T);
    void* const at = bytes < kHugePage ? std::malloc(bytes) : huge(bytes);
    if (at == nullptr) throw std::bad_alloc();
    return static_cast<T*>(at);
  }
  // Gives the pages back at once, even after keep_freed_memory().
  void deallocate(T* at, std::size_t count) noexcept {
    if (count * sizeof(T) >= kHugePage) drop_pages(at, count * sizeof(T));
    std::free(at);
  }

 private:
  static void* huge(std::size_t bytes) {
    void* const at = std::aligned_alloc(kHugePage, (bytes + kHugePage - 1) / kHugePage * kHugePage);
    if (at != nullptr) prefer_huge_pages(at, bytes);
    return at;
  }
};

template <class T>
using HugeVector = std::vector<T, HugePageAllocator<T>>;

// Makes room for all that is expected when a part of it has come, so that the vector does not move
// again and again. Called often; `part` is a share: at 0.25 four times as much is expected. Room
// that is never used costs no memory, since its pages stay untouched; it grows at most ninefold at
// once.
template <class T>
void expect_all(HugeVector<T>& values, double part) {
  if (2 * values.size() < values.capacity() || values.size() * sizeof(T) < kHugePage / 16) return;
  constexpr double kSpare = 1.1;
  constexpr double kMost = 8;
  const double expected = static_cast<double>(values.size()) / std::max(part, 1 / kMost);
  if (expected > static_cast<double>(values.capacity()))
    values.reserve(static_cast<std::size_t>(expected * kSpare));
}

// Makes room in an empty vector of the usual kind, in large pages.
template <class T>
void reserve_in_huge_pages(std::vector<T>& values, std::size_t count) {
  values.reserve(count);
  prefer_huge_pages(values.data(), count * sizeof(T));
}

}  // namespace ts::base
