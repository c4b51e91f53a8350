#include "kernels/engine/start.h"

#include <algorithm>

#include "kernels/observe/cpu_allocator.h"
#include "kernels/operators/on_cuda.h"

namespace ts::kernels {
namespace {

const char* launch_by_cuda(const OwnLaunch& own) {
  CudaLaunch launch{};
  launch.kernel = own.kernel.c_str();
  std::ranges::copy(own.grid, launch.grid);
  std::ranges::copy(own.block, launch.block);
  launch.shared_bytes = own.shared_bytes;
  launch.problem = own.problem;
  launch.device = own.device;
  return start_libtorch().launch(launch);
}

int capability_of_device(int device) {
  CudaDeviceFacts facts{};
  const char* const failed = start_libtorch().api()->device_facts(device, &facts);
  return failed == nullptr ? facts.capability : 0;
}

}  // namespace

const CudaLibrary& start_libtorch() {
  static const CudaLibrary* const library = [] {
    const auto* const loaded = new CudaLibrary;
    CpuAllocator::install();
    if (loaded->api() != nullptr) set_own_launcher(launch_by_cuda, capability_of_device);
    return loaded;
  }();
  return *library;
}

}  // namespace ts::kernels
