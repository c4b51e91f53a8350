#include "kernels/device/cpu_caches.h"

#include <ATen/Parallel.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace ts::kernels {
namespace {

constexpr std::size_t kLine = 64;  // bytes that a cache moves at once
// Virtual machines do not always report the sizes.
constexpr std::size_t kLeast = std::size_t{64} << 20;

std::size_t cache_bytes(int name) {
  return static_cast<std::size_t>(std::max(sysconf(name), 0L));
}

}  // namespace

std::size_t CpuCaches::size() {
  const auto threads = static_cast<std::size_t>(at::get_num_threads());
  const std::size_t caches =
      cache_bytes(_SC_LEVEL3_CACHE_SIZE) + threads * cache_bytes(_SC_LEVEL2_CACHE_SIZE);
  return std::max(2 * caches, kLeast);
}

void CpuCaches::evict() {
  if (memory_ == nullptr) {
    size_ = size();
    memory_ = std::make_unique<unsigned char[]>(size_);
  }
  const auto lines = static_cast<std::int64_t>(size_ / kLine);
  // One part per thread, so that the second-level cache of each is covered.
  const std::int64_t part = lines / at::get_num_threads() + 1;
  at::parallel_for(0, lines, part, [this](std::int64_t begin, std::int64_t end) {
    // A write claims the line for this core alone; without volatile the compiler would remove the
    // loop.
    volatile unsigned char* const memory = memory_.get();
    for (std::int64_t i = begin; i < end; ++i) {
      const std::size_t at = static_cast<std::size_t>(i) * kLine;
      memory[at] = static_cast<unsigned char>(memory[at] + 1);
    }
  });
}

}  // namespace ts::kernels
