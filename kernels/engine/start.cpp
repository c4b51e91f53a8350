#include "kernels/engine/start.h"

#include <algorithm>
#include <cstddef>
#include <vector>

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

// Each attention asks several times, and the driver takes its time.
int capability_of_device(int device) {
  static const std::vector<int> all = [] {
    const CudaApi& cuda = *start_libtorch().api();
    std::vector<int> found;
    for (int each = 0; each < cuda.device_count(); ++each) {
      CudaDeviceFacts facts{};
      found.push_back(cuda.device_facts(each, &facts) == nullptr ? facts.capability : 0);
    }
    return found;
  }();
  const auto place = static_cast<std::size_t>(device);
  return place < all.size() ? all[place] : 0;
}

}  // namespace

const CudaLibrary& start_libtorch() {
  static const CudaLibrary* const library = [] {
    auto* const loaded = new CudaLibrary;
    if (loaded->api() != nullptr) loaded->start_capture(0);
    CpuAllocator::install();
    if (loaded->api() != nullptr) set_own_launcher(launch_by_cuda, capability_of_device);
    return loaded;
  }();
  return *library;
}

}  // namespace ts::kernels
