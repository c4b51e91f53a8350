#include "core/base/freed_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <vector>

namespace ts::base {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kOwnAllocator = false;  // the sanitizer's keeps what is freed
#else
constexpr bool kOwnAllocator = true;
#endif

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t total = 0;
  std::int64_t resident = 0;
  file >> total >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

TEST(FreedMemory, GivesBackWhatWasFreedInSmallPieces) {
  if (!kOwnAllocator) GTEST_SKIP() << "a sanitizer's allocator";
  constexpr std::size_t kPieces = std::size_t{64} << 10U;
  constexpr std::size_t kBytes = 1000;
  std::vector<std::unique_ptr<std::vector<char>>> pieces;
  pieces.reserve(kPieces);
  for (std::size_t i = 0; i < kPieces; ++i)
    pieces.push_back(std::make_unique<std::vector<char>>(kBytes, 'x'));
  // The last one stays, so that what lies before it is not given back by itself.
  for (std::size_t i = 0; i + 1 < kPieces; ++i) pieces[i].reset();
  const std::int64_t before = resident_bytes();
  give_back_freed_memory();
  EXPECT_LT(resident_bytes(), before - static_cast<std::int64_t>(kPieces * kBytes / 2));
}

}  // namespace
}  // namespace ts::base
