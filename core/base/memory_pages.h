#pragma once

#include <malloc.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

// Hints to the system about the pages of a large buffer. Do nothing below a large page of 2
// MiB, and where the system refuses.
namespace ts::base {

inline constexpr std::size_t kHugePage = std::size_t{1} << 21U;  // on x86-64; elsewhere a hint

// Asks for large pages: the first touch of each costs as much as one of 4 KiB. For hundreds of
// megabytes that are reserved at once and filled in order.
inline void prefer_huge_pages(void* begin, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kHugePage - 1) / kHugePage * kHugePage;
  const std::uintptr_t end = (address + bytes) / kHugePage * kHugePage;
  if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

// Gives the whole pages of 4 KiB in a buffer back to the system: what they hold is lost, and the
// next touch makes them anew.
inline void drop_pages(void* begin, std::size_t bytes) {
  constexpr std::uintptr_t kPage = 4096;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kPage - 1) / kPage * kPage;
  const std::uintptr_t end = (address + bytes) / kPage * kPage;
  if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

// From now on freed memory stays with the process, whatever its size, and is used again without new
// pages. For a command that reads one large file and ends; main thread.
inline void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kMost = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, kMost);
  mallopt(M_TRIM_THRESHOLD, kMost);
#endif
}

}  // namespace ts::base
