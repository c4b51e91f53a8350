#pragma once

#include <string_view>

#include "core/trace/slice.h"

namespace ts::trace {

// The class of a GPU kernel by its demangled name. Covers ATen's own kernels, cuBLAS, cuBLASLt,
// CUTLASS, cuDNN and the attention kernels that LibTorch ships. Unrecognised kernels are `other`.
SliceClass classify_kernel(std::string_view name);

// True if a kernel multiplies on tensor cores, judged by its demangled name: the instruction shapes
// that cuBLAS, CUTLASS and cuDNN put into the names of their kernels (884, 1688, 16816, gmma),
// "tensorop", and families that use nothing else (nvjet, flash attention). A kernel whose name has
// none of these counts as not using them.
bool uses_tensor_cores(std::string_view name);

}  // namespace ts::trace
