#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include <array>
#include <tuple>

#include "kernels/dry_run/meta_kernels.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

bool on_cuda() {
  const DryRecording* const dry = DryRecording::current();
  return dry != nullptr && dry->for_cuda();
}

// Mean and deviation are kept in fp32 on cuda; on cpu in the type of the weights.
// (ATen/native/layer_norm.cpp and cuda/layer_norm_kernel.cu of PyTorch 2.11.)
at::ScalarType statistics_type(const Tensor& input, const OptionalTensor& weight) {
  if (on_cuda()) return at::kFloat;
  return weight && weight->defined() ? weight->scalar_type() : input.scalar_type();
}

std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor& input,
                                                     c10::SymIntArrayRef normalized,
                                                     const OptionalTensor& weight,
                                                     const OptionalTensor&, double) {
  std::vector<std::int64_t> kept = input.sizes().vec();
  for (std::size_t i = kept.size() - normalized.size(); i < kept.size(); ++i) kept[i] = 1;
  const auto options = input.options().dtype(statistics_type(input, weight));
  Tensor output = at::empty_like(input, at::MemoryFormat::Contiguous);
  Tensor mean = at::empty(kept, options);
  return {std::move(output), std::move(mean), at::empty(kept, options)};
}

// On cpu each thread first sums the gradients of weight and bias for itself.
std::tuple<Tensor, Tensor, Tensor> native_layer_norm_backward(const Tensor&, const Tensor& input,
                                                              c10::SymIntArrayRef normalized,
                                                              const Tensor&, const Tensor&,
                                                              const OptionalTensor& weight,
                                                              const OptionalTensor& bias,
                                                              std::array<bool, 3> wanted) {
  Tensor input_gradient, weight_gradient, bias_gradient;
  if (wanted[0]) input_gradient = at::empty_like(input, at::MemoryFormat::Contiguous);
  if (wanted[1]) weight_gradient = at::empty_like(*weight);
  if (wanted[2]) bias_gradient = at::empty_like(*bias);
  if (!on_cuda() && (wanted[1] || wanted[2])) {
    std::int64_t width = 1;
    for (const c10::SymInt& size : normalized) width *= size.expect_int();
    const Tensor sums = at::zeros({2, at::get_num_threads(), width}, input.options());
  }
  return {input_gradient, weight_gradient, bias_gradient};
}

}  // namespace

void register_meta_norm(torch::Library& library) {
  library.impl("native_layer_norm", native_layer_norm);
  library.impl("native_layer_norm_backward", native_layer_norm_backward);
}

}  // namespace ts::kernels
