#include "kernels/engine/start.h"

#include "kernels/observe/cpu_allocator.h"

namespace ts::kernels {

const CudaLibrary& start_libtorch() {
  static const CudaLibrary* const library = [] {
    const auto* const loaded = new CudaLibrary;
    CpuAllocator::install();
    return loaded;
  }();
  return *library;
}

}  // namespace ts::kernels
