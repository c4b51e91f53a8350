#include "kernels/cuda/own_launch.h"

#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda.h>
#include <dlfcn.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/cuda/guarded.h"

namespace ts::kernels {
namespace {

// The driver is not linked: the library must load where there is none.
template <class Function>
Function* driver_function(const char* name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  void* const found = driver != nullptr ? dlsym(driver, name) : nullptr;
  TORCH_CHECK(found != nullptr, "the driver lacks ", name);
  return reinterpret_cast<Function*>(found);
}

void check_driver(CUresult result, const std::string& doing) {
  TORCH_CHECK(result == CUDA_SUCCESS, "CUDA error ", static_cast<int>(result), " in ", doing);
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The kernels of a folder on one device. Its context must be current.
class OwnModules {
 public:
  explicit OwnModules(const std::filesystem::path& folder) {
    static auto* const load = driver_function<decltype(cuModuleLoadData)>("cuModuleLoadData");
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
      if (entry.path().extension() != ".fatbin") continue;
      CUmodule module = nullptr;
      // A file without code for this card is passed over: another may have the kernel.
      if (load(&module, bytes_of(entry.path()).c_str()) == CUDA_SUCCESS) modules_.push_back(module);
    }
    TORCH_CHECK(!modules_.empty(), "there are no compiled kernels for this card in ",
                folder.string(), " (nvcc makes them when the program is built)");
  }

  CUfunction find(const std::string& kernel) {
    static auto* const find_in =
        driver_function<decltype(cuModuleGetFunction)>("cuModuleGetFunction");
    CUfunction& known = functions_[kernel];
    for (std::size_t i = 0; i < modules_.size() && known == nullptr; ++i) {
      if (find_in(&known, modules_[i], kernel.c_str()) != CUDA_SUCCESS) known = nullptr;
    }
    TORCH_CHECK(known != nullptr, "none of that name is compiled for this card");
    return known;
  }

 private:
  std::vector<CUmodule> modules_;  // for good
  std::map<std::string, CUfunction> functions_;
};

CUfunction find_kernel(const CudaLaunch& launch) {
  static std::mutex mutex;
  static std::map<int, OwnModules> of_devices;
  const std::lock_guard lock(mutex);
  const auto found = of_devices.find(launch.device);
  OwnModules& modules =
      found != of_devices.end()
          ? found->second
          : of_devices.emplace(launch.device, OwnModules(launch.folder)).first->second;
  return modules.find(launch.kernel);
}

}  // namespace

const char* launch_own_kernel(const CudaLaunch& launch) {
  return guarded([&] {
    static auto* const start = driver_function<decltype(cuLaunchKernel)>("cuLaunchKernel");
    const auto device = static_cast<c10::DeviceIndex>(launch.device);
    const c10::cuda::CUDAGuard guard(device);
    const CUfunction kernel = find_kernel(launch);
    if (launch.shared_bytes > 0) {
      static auto* const allow =
          driver_function<decltype(cuFuncSetAttribute)>("cuFuncSetAttribute");
      check_driver(allow(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                         static_cast<int>(launch.shared_bytes)),
                   "cuFuncSetAttribute");
    }
    void* arguments[] = {const_cast<void*>(launch.problem)};
    check_driver(start(kernel, launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0],
                       launch.block[1], launch.block[2], launch.shared_bytes,
                       c10::cuda::getCurrentCUDAStream(device).stream(), arguments, nullptr),
                 "cuLaunchKernel");
  });
}

}  // namespace ts::kernels
