#include <ATen/OpMathType.h>
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
  const Tensor dense = input.contiguous();
  Tensor output = at::empty_like(input, at::MemoryFormat::Contiguous);
  Tensor mean = at::empty(kept, options);
  return {std::move(output), std::move(mean), at::empty(kept, options)};
}

// On cpu each thread first sums the gradients of weight and bias for itself.
std::tuple<Tensor, Tensor, Tensor> native_layer_norm_backward(
    const Tensor& gradient, const Tensor& input, c10::SymIntArrayRef normalized, const Tensor&,
    const Tensor&, const OptionalTensor& weight, const OptionalTensor& bias,
    std::array<bool, 3> wanted) {
  const Tensor dense = input.contiguous();
  Tensor input_gradient, weight_gradient, bias_gradient;
  if (wanted[0]) input_gradient = at::empty_like(input, at::MemoryFormat::Contiguous);
  if (wanted[1]) weight_gradient = at::empty_like(*weight);
  if (wanted[2]) bias_gradient = at::empty_like(*bias);
  const Tensor dense_gradient = gradient.contiguous();
  if (!on_cuda() && (wanted[1] || wanted[2])) {
    std::int64_t width = 1;
    for (const c10::SymInt& size : normalized) width *= size.expect_int();
    const Tensor sums = at::zeros({2, at::get_num_threads(), width}, input.options());
  }
  return {input_gradient, weight_gradient, bias_gradient};
}

// Means and deviations over the channels on cpu: narrow input with wide weights has wide ones.
at::TensorOptions channel_options(const Tensor& input, const OptionalTensor& weight) {
  const bool given = weight && weight->defined();
  return input.options().dtype(given ? weight->scalar_type() : input.scalar_type());
}

// An image whose channels lie side by side is summed by every thread for itself.
bool channels_side_by_side(const Tensor& input) {
  return input.numel() == input.size(0) * input.size(1) || !input.is_contiguous();
}

// (ATen/native/Normalization.cpp and cpu/batch_norm_kernel.cpp of PyTorch 2.11.)
std::tuple<Tensor, Tensor, Tensor> native_batch_norm(const Tensor& input,
                                                     const OptionalTensor& weight,
                                                     const OptionalTensor&, const OptionalTensor&,
                                                     const OptionalTensor&, bool training, double,
                                                     double) {
  const std::int64_t channels = input.size(1);
  Tensor output = at::empty_like(input);
  if (on_cuda()) {
    const auto wide = input.options().dtype(at::kFloat);
    const std::int64_t kept = training ? channels : 0;
    Tensor mean = at::empty({kept}, wide);
    return {std::move(output), std::move(mean), at::empty({kept}, wide)};
  }
  const auto options = channel_options(input, weight);
  Tensor mean = at::empty({training ? channels : 0}, options);
  Tensor deviation = at::empty({training ? channels : 0}, options);
  if (training) {
    const Tensor sum = at::empty({channels}, options), squares = at::empty({channels}, options);
    const std::int64_t threads = at::get_num_threads();
    if (channels_side_by_side(input) && input.numel() / channels > threads) {
      const Tensor parts = at::empty({threads, channels}, options);
    }
  }
  const auto wide = input.options().dtype(at::toOpMathType(input.scalar_type()));
  const Tensor factor = at::empty({channels}, wide), offset = at::empty({channels}, wide);
  return {std::move(output), std::move(mean), std::move(deviation)};
}

std::tuple<Tensor, Tensor, Tensor> native_batch_norm_backward(
    const Tensor&, const Tensor& input, const OptionalTensor& weight, const OptionalTensor&,
    const OptionalTensor&, const OptionalTensor&, const OptionalTensor&, bool, double,
    std::array<bool, 3> wanted) {
  const std::int64_t channels = input.size(1);
  const auto options = channel_options(input, weight);
  Tensor to_input, to_weight, to_bias;
  if (wanted[0]) to_input = at::empty_like(input);
  if (wanted[1]) to_weight = at::empty({channels}, options);
  if (wanted[2]) to_bias = at::empty({channels}, options);
  if (on_cuda()) return {to_input, to_weight, to_bias};
  // It is made anew before the first is let go of.
  if (wanted[0]) to_input = at::empty_like(input);
  if (channels_side_by_side(input)) {
    const Tensor parts = at::empty({2, at::get_num_threads(), channels}, options);
  }
  return {to_input, to_weight, to_bias};
}

// (ATen/native/group_norm.cpp and cpu/group_norm_kernel.cpp of PyTorch 2.11.)
std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input,
                                                     const OptionalTensor& weight,
                                                     const OptionalTensor&, c10::SymInt images,
                                                     c10::SymInt, c10::SymInt, std::int64_t groups,
                                                     double) {
  const auto options = on_cuda() ? input.options() : channel_options(input, weight);
  Tensor output = at::empty_like(input);
  Tensor mean = at::empty({images.expect_int(), groups}, options);
  return {std::move(output), std::move(mean), at::empty({images.expect_int(), groups}, options)};
}

std::tuple<Tensor, Tensor, Tensor> native_group_norm_backward(
    const Tensor&, const Tensor& input, const Tensor& mean, const Tensor&,
    const OptionalTensor& weight, c10::SymInt images, c10::SymInt channels, c10::SymInt,
    std::int64_t, std::array<bool, 3> wanted) {
  Tensor to_input, to_weight, to_bias;
  if (wanted[0]) to_input = at::empty_like(input);
  if (wanted[1]) to_weight = at::empty_like(*weight);
  if (wanted[2]) to_bias = at::empty_like(*weight);
  const auto type = at::toOpMathType(mean.scalar_type());
  const std::array sizes = {images.expect_int(), channels.expect_int()};
  const Tensor sums = at::empty(sizes, input.options().dtype(type));
  const Tensor products = at::empty(sizes, input.options().dtype(type));
  return {to_input, to_weight, to_bias};
}

}  // namespace

void register_meta_norm(torch::Library& library) {
  library.impl("native_layer_norm", native_layer_norm);
  library.impl("native_layer_norm_backward", native_layer_norm_backward);
  library.impl("native_batch_norm", native_batch_norm);
  library.impl("native_batch_norm_backward", native_batch_norm_backward);
  library.impl("native_group_norm", native_group_norm);
  library.impl("native_group_norm_backward", native_group_norm_backward);
}

}  // namespace ts::kernels
