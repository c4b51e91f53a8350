#pragma once

#include "kernels/cuda/cuda_library.h"

namespace ts::kernels {

// Makes this process ready for LibTorch, once, whichever of the engine and the dry runner comes
// first: loads the CUDA library where a driver is present (LibTorch looks for it once, at its first
// call), then puts the CPU allocator in. Any thread; the others wait.
const CudaLibrary& start_libtorch();

}  // namespace ts::kernels
