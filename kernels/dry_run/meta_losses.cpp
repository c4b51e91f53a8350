// Losses that LibTorch has no kernels for without data, or whose results alone it makes. On cpu and
// cuda each fills a tensor of its input's size and then reduces it. From PyTorch 2.11:
// ATen/native/Loss.cpp, ATen/native/cuda/Loss.cu, ATen/native/LossNLL2d.cpp, cuda/NLLLoss2d.cu,
// torch/csrc/autograd/FunctionsManual.cpp.
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <tuple>

#include "kernels/dry_run/meta_kernels.h"

namespace ts::kernels {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

Tensor reduced(const Tensor& loss, std::int64_t reduction) {
  if (reduction == at::Reduction::Mean) return loss.mean();
  return reduction == at::Reduction::Sum ? loss.sum() : loss;
}

// The mean or sum is copied into the first number of the losses, whose block stays.
Tensor binary_cross_entropy(const Tensor& self, const Tensor&, const OptionalTensor& weight,
                            std::int64_t reduction) {
  Tensor loss = at::empty_like(self);
  if (weight && weight->defined()) loss.mul_(*weight);
  if (reduction == at::Reduction::None) return loss;
  const Tensor number = reduced(loss, reduction);
  return loss.as_strided({}, {});
}

Tensor binary_cross_entropy_backward(const Tensor&, const Tensor& self, const Tensor&,
                                     const OptionalTensor& weight, std::int64_t reduction) {
  Tensor result = at::empty_like(self);
  if (weight && weight->defined()) result.mul_(*weight);
  if (reduction == at::Reduction::Mean) result.div_(self.numel());
  return result;
}

// LibTorch's own backward does not write in place where tensors have no data.
class WithLogits : public torch::autograd::Function<WithLogits> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& self,
                        const Tensor& target, const OptionalTensor& weight,
                        const OptionalTensor& positive, std::int64_t reduction) {
    context->save_for_backward(
        {self, target, weight.value_or(Tensor()), positive.value_or(Tensor())});
    context->saved_data["reduction"] = reduction;
    const at::AutoDispatchBelowADInplaceOrView below;
    return at::binary_cross_entropy_with_logits(self, target, weight, positive, reduction);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const Tensor &self = saved[0], &target = saved[1], &weight = saved[2], &positive = saved[3];
    Tensor result;
    if (positive.defined()) {
      const Tensor wanted = positive.mul(target);
      result = wanted.add(1).sub_(target).mul_(self.sigmoid()).sub_(wanted);
    } else {
      result = self.sigmoid().sub_(target);
    }
    result.mul_(gradients[0]);
    if (weight.defined()) result.mul_(weight);
    if (context->saved_data["reduction"].toInt() == at::Reduction::Mean) result.div_(self.numel());
    return {std::move(result), Tensor(), Tensor(), Tensor(), Tensor()};
  }
};

Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                        const OptionalTensor& weight,
                                        const OptionalTensor& positive, std::int64_t reduction) {
  TORCH_CHECK_NOT_IMPLEMENTED(!target.requires_grad(), "the gradient of a target");
  return WithLogits::apply(self, target, weight, positive, reduction);
}

Tensor huber_loss(const Tensor& self, const Tensor&, std::int64_t reduction, double) {
  return reduced(at::empty_like(self), reduction);
}

// The backward of a squared error, of Huber's loss and of the smooth one.
template <class... Options>
Tensor zeros_backward(const Tensor&, const Tensor& self, const Tensor&, std::int64_t, Options...) {
  return at::zeros_like(self, at::MemoryFormat::Contiguous);
}

// The losses of images: a class for each pixel.
std::tuple<Tensor, Tensor> nll_loss2d(const Tensor& self, const Tensor& target,
                                      const OptionalTensor&, std::int64_t reduction, c10::SymInt) {
  if (reduction == at::Reduction::None)
    return {at::empty(target.sizes(), self.options()), at::empty({}, self.options())};
  const Tensor dense = self.contiguous(), dense_target = target.contiguous();
  return {at::empty({}, self.options()), at::empty({}, self.options())};
}
Tensor nll_loss2d_backward(const Tensor&, const Tensor& self, const Tensor& target,
                           const OptionalTensor&, std::int64_t reduction, c10::SymInt,
                           const Tensor&) {
  Tensor result = at::zeros_like(self);
  const Tensor dense_target = reduction == at::Reduction::None ? Tensor() : target.contiguous();
  return result;
}

}  // namespace

void register_meta_losses(torch::Library& library) {
  library.impl("binary_cross_entropy", binary_cross_entropy);
  library.impl("binary_cross_entropy_backward", binary_cross_entropy_backward);
  library.impl("huber_loss", huber_loss);
  library.impl("huber_loss_backward", zeros_backward<double>);
  library.impl("mse_loss_backward", zeros_backward<>);
  library.impl("smooth_l1_loss_backward", zeros_backward<double>);
  library.impl("nll_loss2d_forward", nll_loss2d);
  library.impl("nll_loss2d_backward", nll_loss2d_backward);
  autograd_meta_library().impl("binary_cross_entropy_with_logits",
                               binary_cross_entropy_with_logits);
}

}  // namespace ts::kernels
