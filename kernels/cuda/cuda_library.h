#pragma once

#include <string>

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

 private:
  const CudaApi* api_ = nullptr;
  std::string unavailable_;
};

}  // namespace ts::kernels
