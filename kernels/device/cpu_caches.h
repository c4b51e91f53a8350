#pragma once

#include <cstddef>
#include <memory>

namespace ts::kernels {

// Evicts the contents of the processor's caches: every thread that LibTorch computes with reads and
// writes its part of a memory twice as large as all caches together. The memory is allocated at the
// first call, from the system and not from LibTorch's allocator. Worker thread.
class CpuCaches {
 public:
  void evict();
  // Bytes that are read and written: twice the last level and the second level of every thread.
  static std::size_t size();

 private:
  std::unique_ptr<unsigned char[]> memory_;
  std::size_t size_ = 0;
};

}  // namespace ts::kernels
