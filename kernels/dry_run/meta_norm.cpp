#include <ATen/OpMathType.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/_fused_rms_norm_compositeimplicitautograd_dispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>
#include <vector>

#include "kernels/dry_run/meta_kernels.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

// Mean and deviation are kept in fp32 on cuda; on cpu in the type of the weights.
// (ATen/native/layer_norm.cpp and cuda/layer_norm_kernel.cu of PyTorch 2.11.)
at::ScalarType statistics_type(const Tensor& input, const OptionalTensor& weight) {
  if (DryRecording::follows_cuda()) return at::kFloat;
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
  if (!DryRecording::follows_cuda() && (wanted[1] || wanted[2])) {
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
  if (DryRecording::follows_cuda()) {
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
      const auto wide = at::toOpMathType(c10::typeMetaToScalarType(options.dtype()));
      const Tensor parts = at::empty({threads, channels}, options.dtype(wide));
    }
  }
  const auto wide = input.options().dtype(at::toOpMathType(input.scalar_type()));
  const Tensor factor = at::empty({channels}, wide), offset = at::empty({channels}, wide);
  return {std::move(output), std::move(mean), std::move(deviation)};
}

// True where cuDNN normalises, which wants a dense gradient.
// (ATen/native/Normalization.cpp, _select_batch_norm_backend.)
bool normalised_by_cudnn(const Tensor& input, const OptionalTensor& weight, bool training) {
  if (!training || !weight || !weight->defined() || input.dim() < 3) return false;
  constexpr std::int64_t kMostImages = 880801;
  const at::ScalarType type = input.scalar_type();
  return type != at::kBFloat16 && weight->scalar_type() != at::kBFloat16 &&
         (type != at::kHalf || weight->scalar_type() == at::kFloat) && input.size(0) <= kMostImages;
}

bool dense_images(const Tensor& of) {
  return of.is_contiguous() || of.is_contiguous(at::MemoryFormat::ChannelsLast) ||
         of.is_contiguous(at::MemoryFormat::ChannelsLast3d);
}

std::tuple<Tensor, Tensor, Tensor> native_batch_norm_backward(
    const Tensor& gradient, const Tensor& input, const OptionalTensor& weight,
    const OptionalTensor&, const OptionalTensor&, const OptionalTensor&, const OptionalTensor&,
    bool training, double, std::array<bool, 3> wanted) {
  const bool cuda = DryRecording::follows_cuda();
  Tensor dense;
  if (cuda && normalised_by_cudnn(input, weight, training))
    dense = gradient.contiguous(input.suggest_memory_format());
  const std::int64_t channels = input.size(1);
  const auto options = channel_options(input, weight);
  Tensor to_input, to_weight, to_bias;
  if (wanted[0]) to_input = at::empty_like(input);
  if (wanted[1]) to_weight = at::empty({channels}, options);
  if (wanted[2]) to_bias = at::empty({channels}, options);
  if (cuda) return {to_input, to_weight, to_bias};
  const auto format = input.suggest_memory_format();
  if (!dense_images(input) || !dense_images(gradient) ||
      gradient.suggest_memory_format() != format) {
    // The gradient is read as it lies, and summed first.
    std::vector<std::int64_t> dims(static_cast<std::size_t>(input.dim()));
    std::iota(dims.begin(), dims.end(), 0);
    dims.erase(dims.begin() + 1);
    const Tensor sum = gradient.sum(dims);
    return {to_input, to_weight, to_bias};
  }
  // It is made anew before the first is let go of.
  if (wanted[0]) to_input = at::empty_like(input);
  if (channels_side_by_side(input)) {
    // Weight, mean and deviation are widened first.
    const at::ScalarType type = c10::typeMetaToScalarType(options.dtype());
    const auto wide = options.dtype(at::toOpMathType(type));
    std::array<Tensor, 3> widened;
    if (at::isReducedFloatingType(type)) {
      for (Tensor& one : widened) one = at::empty({channels}, wide);
    }
    const Tensor parts = at::empty({2, at::get_num_threads(), channels}, wide);
  }
  return {to_input, to_weight, to_bias};
}

// On cuda factor and offset of every channel are made besides.
// (ATen/native/group_norm.cpp, cpu/group_norm_kernel.cpp and cuda/group_norm_kernel.cu of
// PyTorch 2.11.)
std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input,
                                                     const OptionalTensor& weight,
                                                     const OptionalTensor&, c10::SymInt images,
                                                     c10::SymInt channels, c10::SymInt,
                                                     std::int64_t groups, double) {
  const auto options =
      DryRecording::follows_cuda() ? input.options() : channel_options(input, weight);
  Tensor output = at::empty_like(input);
  Tensor mean = at::empty({images.expect_int(), groups}, options);
  Tensor deviation = at::empty({images.expect_int(), groups}, options);
  if (DryRecording::follows_cuda()) {
    const auto wide = input.options().dtype(at::toOpMathType(input.scalar_type()));
    const std::array sizes = {images.expect_int(), channels.expect_int()};
    const Tensor factor = at::empty(sizes, wide), offset = at::empty(sizes, wide);
  }
  return {std::move(output), std::move(mean), std::move(deviation)};
}

std::tuple<Tensor, Tensor, Tensor> native_group_norm_backward(
    const Tensor&, const Tensor& input, const Tensor& mean, const Tensor&,
    const OptionalTensor& weight, c10::SymInt images, c10::SymInt channels, c10::SymInt,
    std::int64_t groups, std::array<bool, 3> wanted) {
  Tensor to_input, to_weight, to_bias;
  if (wanted[0]) to_input = at::empty_like(input);
  if (wanted[1]) to_weight = at::empty_like(*weight);
  if (wanted[2]) to_bias = at::empty_like(*weight);
  const auto options = input.options().dtype(at::toOpMathType(mean.scalar_type()));
  const std::array sizes = {images.expect_int(), channels.expect_int()};
  const Tensor sums = at::empty(sizes, options), products = at::empty(sizes, options);
  if (DryRecording::follows_cuda() && wanted[0]) {
    Tensor of_channels;
    const Tensor of_input = at::empty({images.expect_int(), groups}, options);
    const Tensor of_mean = at::empty({images.expect_int(), groups}, options);
    of_channels = at::empty(sizes, options);
  }
  return {to_input, to_weight, to_bias};
}

// RMSNorm in one kernel, with the root of a row in fp32. LibTorch has it on cuda alone and divides
// it into several operators elsewhere. (ATen/native/cuda/layer_norm_kernel.cu,
// _fused_rms_norm_cuda.)
class FusedRmsNorm : public torch::autograd::Function<FusedRmsNorm> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const Tensor& input, const OptionalTensor& weight,
                                                std::int64_t normalized) {
    context->set_materialize_grads(false);
    RECORD_FUNCTION("aten::_fused_rms_norm", c10::ArrayRef<const c10::IValue>{});
    const Tensor dense = input.contiguous();
    Tensor output = at::empty_like(input, at::MemoryFormat::Contiguous);
    std::vector<std::int64_t> kept = input.sizes().vec();
    std::fill(kept.end() - normalized, kept.end(), 1);
    Tensor root = at::empty(kept, input.options().dtype(at::toOpMathType(input.scalar_type())));
    context->save_for_backward({input, weight.value_or(Tensor()), root});
    return {std::move(output), std::move(root)};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    RECORD_FUNCTION("aten::_fused_rms_norm_backward", c10::ArrayRef<const c10::IValue>{});
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const Tensor dense = saved[0].contiguous(), dense_gradient = gradients[0].contiguous();
    Tensor to_input, to_weight;
    if (context->needs_input_grad(0))
      to_input = at::empty_like(saved[0], at::MemoryFormat::Contiguous);
    if (saved[1].defined() && context->needs_input_grad(1)) to_weight = at::empty_like(saved[1]);
    return {std::move(to_input), std::move(to_weight), Tensor()};
  }
};

std::tuple<Tensor, Tensor> fused_rms_norm(const Tensor& input, at::IntArrayRef normalized,
                                          const OptionalTensor& weight,
                                          std::optional<double> epsilon) {
  if (!DryRecording::follows_cuda())
    return at::compositeimplicitautograd::_fused_rms_norm(input, normalized, weight, epsilon);
  const auto made =
      FusedRmsNorm::apply(input, weight, static_cast<std::int64_t>(normalized.size()));
  return {made[0], made[1]};
}

}  // namespace

void register_meta_norm(torch::Library& library) {
  library.impl("native_layer_norm", native_layer_norm);
  library.impl("native_layer_norm_backward", native_layer_norm_backward);
  library.impl("native_batch_norm", native_batch_norm);
  library.impl("native_batch_norm_backward", native_batch_norm_backward);
  library.impl("native_group_norm", native_group_norm);
  library.impl("native_group_norm_backward", native_group_norm_backward);
  autograd_meta_library().impl("_fused_rms_norm", fused_rms_norm);
}

}  // namespace ts::kernels
