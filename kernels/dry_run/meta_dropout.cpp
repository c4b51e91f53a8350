// Dropout: what it keeps for the backward. On cpu a tensor of factors of the input's type, made in
// place; on cuda one byte a number. From PyTorch 2.11: ATen/native/Dropout.cpp,
// ATen/native/cuda/Dropout.cu, ATen/native/cpu/UnaryOpsKernel.cpp.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/dropout_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/native_dropout.h>
#include <torch/library.h>

#include <array>

#include "kernels/dry_run/meta_kernels.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;

// MKL draws whole numbers into a tensor of its own, where LibTorch uses MKL for it: that depends on
// the processor, and is seen by drawing a few.
bool draws_into_integers() {
  std::array<float, 4> numbers{};
  Tensor drawn = at::from_blob(numbers.data(), {4}, at::TensorOptions().dtype(at::kFloat));
  DryRecording::ScratchQuestion question(*DryRecording::current());
  try {
    drawn.bernoulli_(0.5, at::detail::createCPUGenerator());
  } catch (const ScratchAsked&) {
    return true;
  }
  return !question.take().empty();
}

Tensor& bernoulli(Tensor& self, double, std::optional<at::Generator>) {
  if (!DryRecording::follows_cpu() || self.numel() == 0) return self;
  static const bool integers = draws_into_integers();
  if (integers) const Tensor drawn = at::empty(self.sizes(), self.options().dtype(at::kInt));
  return self;
}

std::tuple<Tensor, Tensor> fused_dropout(const Tensor& input, double, std::optional<bool>) {
  Tensor mask = at::empty_like(input, input.options().dtype(at::kBool));
  return {at::empty_like(input), mask};
}

Tensor fused_dropout_backward(const Tensor& gradient, const Tensor&, double) {
  return at::empty_like(gradient);
}

// LibTorch takes the fused operator on cuda and never on meta tensors. This stands where it is
// still an operator of several others.
Tensor dropout(const Tensor& input, double share, bool train) {
  if (DryRecording::follows_cuda() && train && share > 0 && share < 1 && input.numel() > 0)
    return std::get<0>(at::native_dropout(input, share, train));
  return at::native::dropout(input, share, train);
}

}  // namespace

void register_meta_dropout(torch::Library& library) {
  library.impl("bernoulli_.float", bernoulli);
  library.impl("native_dropout", fused_dropout);
  library.impl("native_dropout_backward", fused_dropout_backward);
  autograd_meta_library().impl("dropout", dropout);
}

}  // namespace ts::kernels
