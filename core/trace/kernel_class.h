#pragma once

#include <string_view>

#include "core/trace/slice.h"

namespace ts::trace {

// The class of a GPU kernel by its demangled name: of ATen's own kernels, cuBLAS, cuBLASLt,
// CUTLASS, cuDNN and the attention kernels LibTorch ships. What is not recognised is `other`.
SliceClass classify_kernel(std::string_view name);

// Whether a kernel multiplies on tensor cores, by its demangled name: the shapes of the machine's
// instructions that cuBLAS, CUTLASS and cuDNN put into the names of their kernels (884, 1688,
// 16816, gmma), "tensorop", and families that use nothing else (nvjet, flash attention). A kernel
// that does not say so counts as one that does not.
bool uses_tensor_cores(std::string_view name);

}  // namespace ts::trace
