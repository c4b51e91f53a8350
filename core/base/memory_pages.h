#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

// Hints to the system about the pages of a large buffer. Do nothing below a large page of 2
// MiB, and where the system refuses.
namespace ts::base {

// Asks for large pages: the first touch of each costs as much as one of 4 KiB. For hundreds of
// megabytes that are reserved at once and filled in order.
inline void prefer_huge_pages(void* begin, std::size_t bytes) {
  constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21U;
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = (address + kPage - 1) / kPage * kPage;
  const std::uintptr_t end = (address + bytes) / kPage * kPage;
  if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace ts::base
