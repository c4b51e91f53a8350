#pragma once

#include <torch/version.h>

#include <string>

namespace ts::kernels {

// "2.11": the minor of the LibTorch that this engine is built for.
inline std::string torch_minor() {
  return std::to_string(TORCH_VERSION_MAJOR) + "." + std::to_string(TORCH_VERSION_MINOR);
}

}  // namespace ts::kernels
