#pragma once

#include "kernels/cuda/cuda_library.h"

namespace ts::kernels {

// Prepares this process for LibTorch, once, whichever of the engine and the dry runner comes first:
// loads the CUDA library if a driver is present (LibTorch looks for it once, at its first call),
// then installs the CPU allocator. Any thread; the others wait.
const CudaLibrary& start_libtorch();

}  // namespace ts::kernels
