#include "core/trace/kernel_class.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace ts::trace {
namespace {

struct Mark {
  std::string_view part;  // in lower case
  SliceClass slice_class;
};

// The first one that a name contains decides, so what is more telling comes first: attention
// kernels are matrix products and softmax at once, and ATen's copies and norms are element-wise
// kernels by name.
constexpr std::array kMarks = std::to_array<Mark>({
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

}  // namespace

SliceClass classify_kernel(std::string_view name) {
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto found = std::find_if(kMarks.begin(), kMarks.end(), [&](const Mark& mark) {
    return lower.find(mark.part) != std::string::npos;
  });
  return found != kMarks.end() ? found->slice_class : SliceClass::other;
}

}  // namespace ts::trace
