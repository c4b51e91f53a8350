#pragma once

#include <memory>
#include <string>

#include "core/capture/gpu_capture.h"
#include "kernels/cuda/api.h"

namespace ts::kernels {

// libtensorscope_cuda.so from the folder of this library, loaded for good where an NVIDIA driver is
// present. Must be made before the first call into LibTorch.
class CudaLibrary {
 public:
  CudaLibrary();
  // Null when CUDA cannot be used; unavailable() says why in one sentence.
  [[nodiscard]] const CudaApi* api() const noexcept { return api_; }
  [[nodiscard]] const std::string& unavailable() const noexcept { return unavailable_; }
  // Records the devices; null when that cannot be done, and not_recorded() says why.
  [[nodiscard]] capture::GpuCapture* capture() const noexcept { return capture_.get(); }
  [[nodiscard]] const std::string& not_recorded() const noexcept { return not_recorded_; }

 private:
  void start_capture();

  const CudaApi* api_ = nullptr;
  std::string unavailable_;
  std::unique_ptr<capture::GpuCapture> capture_;
  std::string not_recorded_;
};

}  // namespace ts::kernels
