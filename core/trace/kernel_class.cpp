#include "core/trace/kernel_class.h"

#include <algorithm>
#include <array>
#include <string>

#include "core/base/contains.h"
#include "core/base/letters.h"

namespace ts::trace {
namespace {

struct Mark {
  std::string_view part;  // in lower case
  SliceClass slice_class;
};

// The first mark that a name contains decides, so the more specific ones come first: attention
// kernels contain matrix products and softmax, and ATen's copies and norms have element-wise kernel
// names.
constexpr std::array kMarks = std::to_array<Mark>({
    {"nccl", SliceClass::communication},
    {"flash_", SliceClass::attention},
    {"fmha", SliceClass::attention},
    {"sdpa", SliceClass::attention},
    {"attention", SliceClass::attention},
    {"softmax", SliceClass::softmax},
    {"layer_norm", SliceClass::norm},
    {"layernorm", SliceClass::norm},
    {"rms_norm", SliceClass::norm},
    {"rmsnorm", SliceClass::norm},
    {"gammabeta", SliceClass::norm},
    {"gemm", SliceClass::matmul},
    {"cijk_", SliceClass::matmul},  // AMD's Tensile
    {"gemv", SliceClass::matmul},
    {"nvjet", SliceClass::matmul},
    {"cutlass", SliceClass::matmul},
    {"splitk", SliceClass::matmul},
    {"dot_kernel", SliceClass::matmul},
    {"copy_kernel", SliceClass::copy},
    {"catarray", SliceClass::copy},
    {"transpose", SliceClass::copy},
    {"memcpy", SliceClass::copy},
    {"elementwise", SliceClass::elementwise},
    {"multi_tensor_apply", SliceClass::elementwise},
    {"fillfunctor", SliceClass::elementwise},
    {"tril", SliceClass::elementwise},
    {"triu", SliceClass::elementwise},
});

// Instruction shapes with the letter of the type before them (HMMA 8x8x4, 16x8x8, 16x8x16), the
// words for such instructions (gmma, mfma, tensorop, and "xdl" of Composable Kernel), and families
// of kernels that use nothing else.
constexpr auto kOnTensorCores = std::to_array<std::string_view>({"s884",
                                                                 "h884",
                                                                 "i8816",
                                                                 "s1688",
                                                                 "h1688",
                                                                 "s161616",
                                                                 "h161616",
                                                                 "s16816",
                                                                 "h16816",
                                                                 "i16832",
                                                                 "d884",
                                                                 "_tensor16x8x",
                                                                 "_tensor8x8x",
                                                                 "gmma",
                                                                 "hmma",
                                                                 "imma",
                                                                 "dmma",
                                                                 "tensorop",
                                                                 "tensor_op",
                                                                 "nvjet",
                                                                 "wmma",
                                                                 "mfma",
                                                                 "xdl",
                                                                 "_gtcx",
                                                                 "flash_fwd_kernel",
                                                                 "flash_fwd_splitkv_kernel",
                                                                 "flash_bwd_dq_dk_dv",
                                                                 "fmha_cutlassf_bf16",
                                                                 "fmha_cutlassf_f16",
                                                                 "fmha_cutlassb_bf16",
                                                                 "fmha_cutlassb_f16",
                                                                 "fort_native_sdpa"});

// Products in plain fp32 (ffma, simt, sgemm), products with a vector, and kernels without products.
constexpr auto kOnOtherCores = std::to_array<std::string_view>(
    {"ffma", "simt", "sgemm", "scudnn", "gemv", "splitkreduce", "dot_kernel", "dot_do_o",
     "convert_dq", "convert_dkv", "fft2d_", "triton_poi_", "triton_red_", "triton_per_",
     "nchwtonhwc", "nhwctonchw", "cub::", "rocprim", "offsetskernel"});

// Operand types that an "xmma" kernel multiplies on tensor cores only.
constexpr auto kTensorCoreTypes =
    std::to_array<std::string_view>({"tf32", "f16f16", "bf16bf16", "i8i8", "e4m3", "e5m2"});

// "Cijk_..._MI16x16x16x1_...": the shape of the matrix instruction of a kernel of Tensile.
bool has_matrix_instruction(std::string_view lower) {
  constexpr std::string_view kMark = "_mi";
  if (!lower.starts_with("cijk_")) return false;
  for (auto at = lower.find(kMark); at != std::string_view::npos; at = lower.find(kMark, at + 1)) {
    const std::size_t next = at + kMark.size();
    if (next < lower.size() && lower[next] >= '0' && lower[next] <= '9') return true;
  }
  return false;
}

// For a name that no mark decides: the class knows which kernels have no products at all.
TensorCores by_class(std::string_view lower) {
  switch (classify_kernel(lower)) {
    case SliceClass::matmul:
    case SliceClass::attention:
      return TensorCores::unknown;
    case SliceClass::other:
      return base::contains(lower, "at::native::") ? TensorCores::no : TensorCores::unknown;
    default:
      return TensorCores::no;
  }
}

}  // namespace

TensorCores tensor_cores_of(std::string_view name) {
  const std::string lower = base::lower(name);
  if (base::contains_any(lower, kOnTensorCores) || has_matrix_instruction(lower))
    return TensorCores::yes;
  if (base::contains_any(lower, kOnOtherCores)) return TensorCores::no;
  if (base::contains(lower, "xmma"))
    return base::contains_any(lower, kTensorCoreTypes) ? TensorCores::yes : TensorCores::unknown;
  return by_class(lower);
}

SliceClass classify_kernel(std::string_view name) {
  const std::string lower = base::lower(name);
  const auto found = std::ranges::find_if(
      kMarks, [&](const Mark& mark) { return lower.find(mark.part) != std::string::npos; });
  return found != kMarks.end() ? found->slice_class : SliceClass::other;
}

}  // namespace ts::trace
