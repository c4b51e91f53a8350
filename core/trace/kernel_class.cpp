#include "core/trace/kernel_class.h"

#include <algorithm>
#include <array>
#include <string>

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

// Tensor-core instructions: HMMA 8x8x4, 16x8x8, 16x8x16 and so on, with the letter of the type
// before them; then names that contain the words, and kernel families.
constexpr auto kTensorCoreMarks = std::to_array<std::string_view>({"s884",
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
                                                                   "gmma",
                                                                   "hmma",
                                                                   "imma",
                                                                   "tensorop",
                                                                   "tensor_op",
                                                                   "nvjet",
                                                                   "wmma",
                                                                   "flash_fwd_kernel",
                                                                   "flash_fwd_splitkv_kernel",
                                                                   "flash_bwd_dq_dk_dv",
                                                                   "fmha_cutlassf_bf16",
                                                                   "fmha_cutlassf_f16",
                                                                   "fmha_cutlassb_bf16",
                                                                   "fmha_cutlassb_f16",
                                                                   "fort_native_sdpa"});

}  // namespace

bool uses_tensor_cores(std::string_view name) {
  const std::string lower = base::lower(name);
  return std::any_of(kTensorCoreMarks.begin(), kTensorCoreMarks.end(),
                     [&](std::string_view mark) { return lower.find(mark) != std::string::npos; });
}

SliceClass classify_kernel(std::string_view name) {
  const std::string lower = base::lower(name);
  const auto found = std::find_if(kMarks.begin(), kMarks.end(), [&](const Mark& mark) {
    return lower.find(mark.part) != std::string::npos;
  });
  return found != kMarks.end() ? found->slice_class : SliceClass::other;
}

}  // namespace ts::trace
