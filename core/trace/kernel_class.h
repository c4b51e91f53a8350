#pragma once

#include <cstdint>
#include <string_view>

#include "core/trace/slice.h"

namespace ts::trace {

// The class of a GPU kernel by its demangled name. Covers ATen's own kernels, cuBLAS, cuBLASLt,
// CUTLASS, cuDNN and the attention kernels that LibTorch ships. Unrecognised kernels are `other`.
SliceClass classify_kernel(std::string_view name);

// Whether a kernel multiplies on tensor cores, or on AMD's matrix cores; unknown where its name
// does not tell.
enum class TensorCores : std::uint8_t { no, yes, unknown };

// Judged by the demangled name:
// - yes: the instruction shapes that cuBLAS, CUTLASS and cuDNN put into names (884, 1688, 16816,
//   gmma, "tensor16x8x8"), "tensorop", and families that use nothing else (nvjet, flash attention).
//   TensorFlow's profiler lists the same marks (kernel_stats_utils.cc, IsKernelUsingTensorCore).
// - yes: "xmma" with the operand types tf32, f16f16, bf16bf16, i8i8 or fp8. With f32f32 the name
//   has "ffma" if it runs on the other cores (no); cut off before that it tells nothing (unknown).
// - yes: AMD's "Cijk_..._MI16x16x16x1_..." (Tensile writes MatrixInstruction as "MI" and its
//   shape), "mfma", "xdl" of Composable Kernel, and MIOpen's igemm "_gtcx".
// - no: fp32 products (sgemm, scudnn, simt), products with a vector, and kernels of the classes
//   that have no products.
TensorCores tensor_cores_of(std::string_view name);

}  // namespace ts::trace
