#pragma once

#include <string_view>

#include "core/trace/slice.h"

namespace ts::trace {

// The class of a GPU kernel by its demangled name: of ATen's own kernels, cuBLAS, cuBLASLt,
// CUTLASS, cuDNN and the attention kernels LibTorch ships. What is not recognised is `other`.
SliceClass classify_kernel(std::string_view name);

}  // namespace ts::trace
