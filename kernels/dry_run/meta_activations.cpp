// Softmax and the backwards of activations that take more than their result: copies of an operand
// that does not lie as their kernel wants it, or scratch. From PyTorch 2.11:
// ATen/native/SoftMax.cpp, ATen/native/Activation.cpp, ATen/native/cuda/SoftMax.cu.
#include <ATen/MetaFunctions.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/gelu_backward.h>
#include <torch/library.h>

#include <array>
#include <cstdint>
#include <tuple>

#include "kernels/dry_run/meta_kernels.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;

// The kernels want their operand dense.
template <Tensor (*kMeta)(const Tensor&, std::int64_t, bool)>
Tensor softmax(const Tensor& self, std::int64_t dim, bool half_to_float) {
  Tensor made = kMeta(self, dim, half_to_float);
  const Tensor dense = DryRecording::current() != nullptr ? self.contiguous() : Tensor();
  return made;
}

// On cuda the softmax's gradient times its result is a block of its own.
template <Tensor (*kMeta)(const Tensor&, const Tensor&, std::int64_t, at::ScalarType),
          bool kMultiplies>
Tensor softmax_backward(const Tensor& gradient, const Tensor& result, std::int64_t dim,
                        at::ScalarType input_type) {
  Tensor made = kMeta(gradient, result, dim, input_type);
  if (DryRecording::current() == nullptr || made.numel() == 0) return made;
  const bool multiplies = kMultiplies && DryRecording::follows_cuda();
  const Tensor first = multiplies ? gradient.mul(result) : gradient;
  const Tensor dense = first.contiguous(), dense_result = result.contiguous();
  return made;
}

// oneDNN computes GELU's backward on cpu for types that it has on this processor, and orders a
// gradient that lies otherwise than the input: seen by a very small one.
bool gelu_backward_reorders(at::ScalarType type) {
  constexpr std::int64_t kNumbers = 16;
  std::array<std::array<float, kNumbers>, 3> numbers{};
  const auto options = at::TensorOptions().dtype(type);
  const auto of = [&](std::size_t i, std::int64_t stride) {
    return at::from_blob(numbers[i].data(), {kNumbers}, {stride}, options);
  };
  Tensor made = of(0, 1);
  DryRecording::ScratchQuestion question(*DryRecording::current());
  try {
    at::gelu_backward_out(made, of(1, 0), of(2, 1));
  } catch (const ScratchAsked&) {
    return true;
  }
  return !question.take().empty();
}

bool lies_like(const Tensor& one, const Tensor& other) {
  for (std::int64_t dim = 0; dim < one.dim(); ++dim) {
    if (one.size(dim) > 1 && one.stride(dim) != other.stride(dim)) return false;
  }
  return true;
}

Tensor gelu_backward(const Tensor& gradient, const Tensor& self, std::string_view approximate) {
  const c10::string_view form(approximate.data(), approximate.size());
  Tensor made = at::meta::gelu_backward(gradient, self, form);
  if (!DryRecording::follows_cpu()) return made;
  const at::ScalarType type = self.scalar_type();
  if (approximate != "none" || !self.is_contiguous() || self.numel() < 2 ||
      (type != at::kFloat && type != at::kBFloat16) || lies_like(gradient, self)) {
    return made;
  }
  static const bool fp32 = gelu_backward_reorders(at::kFloat);
  static const bool bf16 = gelu_backward_reorders(at::kBFloat16);
  if (type == at::kFloat ? fp32 : bf16)
    const Tensor ordered = at::empty(self.sizes(), self.options());
  return made;
}

// LibTorch has no kernels of these for tensors without data.
Tensor mish_backward(const Tensor&, const Tensor& self) {
  return at::empty_like(self);
}

// On cuda nothing is kept besides.
std::tuple<Tensor, Tensor> log_sigmoid(const Tensor& self) {
  Tensor made = at::empty_like(self);
  return {std::move(made),
          DryRecording::follows_cuda() ? at::empty({0}, self.options()) : at::empty_like(self)};
}
Tensor log_sigmoid_backward(const Tensor& gradient, const Tensor&, const Tensor&) {
  return at::empty_like(gradient);
}

Tensor prelu(const Tensor& self, const Tensor&) {
  return at::empty_like(self);
}
// The gradient of the weight is summed afterwards.
std::tuple<Tensor, Tensor> prelu_backward(const Tensor&, const Tensor& self, const Tensor&) {
  Tensor to_input = at::empty_like(self);
  return {std::move(to_input), at::empty_like(self)};
}

}  // namespace

void register_meta_activations(torch::Library& library) {
  library.impl("_softmax", softmax<at::meta::_softmax>);
  library.impl("_log_softmax", softmax<at::meta::_log_softmax>);
  library.impl("_softmax_backward_data", softmax_backward<at::meta::_softmax_backward_data, true>);
  library.impl("_log_softmax_backward_data",
               softmax_backward<at::meta::_log_softmax_backward_data, false>);
  library.impl("gelu_backward", gelu_backward);
  library.impl("mish_backward", mish_backward);
  library.impl("log_sigmoid_forward", log_sigmoid);
  library.impl("log_sigmoid_backward", log_sigmoid_backward);
  library.impl("_prelu_kernel", prelu);
  library.impl("_prelu_kernel_backward", prelu_backward);
}

}  // namespace ts::kernels
