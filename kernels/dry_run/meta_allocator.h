#pragma once

#include <c10/core/Allocator.h>

namespace ts::kernels {

// LibTorch's allocator for meta tensors, replaced by one that records every block in the
// DryRecording of the calling thread, if there is one. Blocks have no memory: their context holds
// the number that stands for the address. A block of 0 bytes is not recorded, as on cpu and on
// cuda.
class MetaAllocator final : public c10::Allocator {
 public:
  // The first call makes it LibTorch's allocator permanently. Any thread.
  static void install();

  c10::DataPtr allocate(std::size_t size) override;
  [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override;
  void copy_data(void*, const void*, std::size_t) const override {}
};

}  // namespace ts::kernels
