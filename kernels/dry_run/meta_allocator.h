#pragma once

#include <c10/core/Allocator.h>

#include <cstdint>

namespace ts::kernels {

// LibTorch's allocator for meta tensors, replaced by one that notes every block in the DryRecording
// of the calling thread; without one it notes nothing. Blocks have no memory: their context holds
// the number that stands for the address. A block of 0 bytes is none, as on cpu and on cuda.
class MetaAllocator final : public c10::Allocator {
 public:
  // The first call makes it LibTorch's for good. Any thread.
  static void install();

  c10::DataPtr allocate(std::size_t size) override;
  [[nodiscard]] c10::DeleterFnPtr raw_deleter() const override;
  void copy_data(void*, const void*, std::size_t) const override {}

  // What stands for the address of a meta block; 0 for none.
  static std::uint64_t address_of(const c10::DataPtr& data) noexcept {
    return reinterpret_cast<std::uintptr_t>(data.get_context());
  }
};

}  // namespace ts::kernels
