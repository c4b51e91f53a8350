// Reductions of several operators, or without a kernel for tensors without data in LibTorch. From
// PyTorch 2.11: ATen/native/ReduceOps.cpp, ATen/native/Blas.cpp, cuda/ReduceMomentKernel.cu.
#include <ATen/AccumulateType.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/cumprod.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/sum_meta_dispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/dry_run/meta_kernels.h"
#include "kernels/dry_run/reduction_scratch.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;

// Without the dimensions, all of which have size 1.
Tensor squeezed(Tensor of, at::IntArrayRef dims) {
  const std::int64_t before = of.dim();
  for (std::int64_t dim = before - 1; dim >= 0; --dim) {
    const bool named = std::ranges::any_of(
        dims, [&](std::int64_t one) { return c10::maybe_wrap_dim(one, before) == dim; });
    if (named || dims.empty()) of = of.squeeze(dim);
  }
  return of;
}

// LibTorch's own writes its sum into a tensor that it resizes, which no allocator of meta sees.
Tensor logsumexp(const Tensor& self, at::IntArrayRef dims, bool keepdim) {
  const Tensor numbers = at::isIntegralType(self.scalar_type(), true) ? self.to(at::kFloat) : self;
  if (self.numel() == 0) return at::exp(numbers).sum(dims, keepdim).log_();
  const Tensor largest = at::amax(numbers, dims, true);
  Tensor shown = keepdim ? largest : squeezed(largest, dims);
  shown.masked_fill_(shown.abs().eq(INFINITY), 0);
  Tensor result = numbers.sub(largest).exp_().sum(dims, keepdim);
  result.log_().add_(shown);
  return result;
}

// On cuda mean, squares and counts are summed together, two numbers of a row at once.
void welford_on_cuda(const Tensor& self, at::OptionalIntArrayRef dims) {
  const at::ScalarType wide = at::toAccumulateType(self.scalar_type(), true);
  constexpr std::int64_t kParts = 4, kInputsAtOnce = 2;
  take_reduction_scratch(self, dims, kParts * static_cast<std::int64_t>(c10::elementSize(wide)),
                         self.element_size(), kInputsAtOnce);
}

// On cpu one number is made of the mean.
Tensor spread(const Tensor& self, at::OptionalIntArrayRef dims, const std::optional<at::Scalar>&,
              bool keepdim) {
  Tensor result = at::meta::sum(self, dims, keepdim, self.scalar_type());
  welford_on_cuda(self, dims);
  if (DryRecording::follows_cpu() && result.numel() == 1 && self.numel() > 0 &&
      !at::isReducedFloatingType(self.scalar_type())) {
    const Tensor mean = at::mean(self);
  }
  return result;
}

std::tuple<Tensor, Tensor> spread_and_mean(const Tensor& self, at::OptionalIntArrayRef dims,
                                           const std::optional<at::Scalar>&, bool keepdim) {
  Tensor result = at::meta::sum(self, dims, keepdim, self.scalar_type());
  Tensor mean = at::meta::sum(self, dims, keepdim, self.scalar_type());
  welford_on_cuda(self, dims);
  return {std::move(result), std::move(mean)};
}

Tensor dot(const Tensor& self, const Tensor&) {
  return at::empty({}, self.options());
}

// Without the dimension, or with one place in it.
std::vector<std::int64_t> reduced_sizes(const Tensor& self, std::int64_t dim, bool keepdim) {
  std::vector<std::int64_t> sizes = self.sizes().vec();
  if (sizes.empty()) return sizes;
  const std::int64_t at = c10::maybe_wrap_dim(dim, self.dim());
  if (keepdim) sizes[static_cast<std::size_t>(at)] = 1;
  if (!keepdim) sizes.erase(sizes.begin() + at);
  return sizes;
}

std::tuple<Tensor, Tensor> chosen(const Tensor& self, std::int64_t dim, bool keepdim) {
  const std::vector<std::int64_t> sizes = reduced_sizes(self, dim, keepdim);
  Tensor values = at::empty(sizes, self.options());
  return {std::move(values), at::empty(sizes, self.options().dtype(at::kLong))};
}

// On cpu the numbers are ordered in a copy, with their places. (ATen/native/Sorting.cpp.)
std::tuple<Tensor, Tensor> kthvalue(const Tensor& self, c10::SymInt, std::int64_t dim,
                                    bool keepdim) {
  std::tuple<Tensor, Tensor> made = chosen(self, dim, keepdim);
  if (DryRecording::follows_cpu() && self.dim() > 0) {
    const Tensor copy = self.clone();
    const Tensor places = at::empty(self.sizes(), self.options().dtype(at::kLong));
  }
  return made;
}

// LibTorch's own backward of cumulative products avoids to look at numbers where tensors have none.
// Here no number is 0. (torch/csrc/autograd/FunctionsManual.cpp, cumprod_backward.)
class Cumprod : public torch::autograd::Function<Cumprod> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& self,
                        std::int64_t dim, std::optional<at::ScalarType> dtype) {
    const at::AutoDispatchBelowADInplaceOrView below;
    Tensor result = at::cumprod(self, dim, dtype);
    context->save_for_backward({self, result});
    context->saved_data["dim"] = dim;
    return result;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const torch::autograd::variable_list saved = context->get_saved_variables();
    const std::int64_t dim = context->saved_data["dim"].toInt();
    if (saved[0].dim() == 0 || saved[0].numel() <= 1) return {gradients[0], Tensor(), Tensor()};
    const Tensor weighted = saved[1].mul(gradients[0]);
    const Tensor zeros = saved[0].eq(0);
    static_cast<void>(zeros.any());
    const Tensor summed = weighted.flip(dim).cumsum(dim).flip(dim);
    return {summed.div(saved[0]), Tensor(), Tensor()};
  }
};

Tensor cumprod(const Tensor& self, std::int64_t dim, std::optional<at::ScalarType> dtype) {
  return Cumprod::apply(self, dim, dtype);
}

// Where no range is given the numbers give it, through scratch that is not followed.
Tensor histc(const Tensor& self, std::int64_t bins, const at::Scalar& low, const at::Scalar& high) {
  if (DryRecording* const dry = DryRecording::current();
      dry != nullptr && low.toDouble() == high.toDouble())
    dry->saw_unknown("aten::histc");
  return at::empty({bins}, self.options());
}

}  // namespace

void register_meta_statistics(torch::Library& library) {
  library.impl("logsumexp", logsumexp);
  library.impl("std.correction", spread);
  library.impl("var.correction", spread);
  library.impl("std_mean.correction", spread_and_mean);
  library.impl("var_mean.correction", spread_and_mean);
  library.impl("dot", dot);
  library.impl("median.dim", chosen);
  library.impl("kthvalue", kthvalue);
  library.impl("histc", histc);
  autograd_meta_library().impl("cumprod", cumprod);
}

}  // namespace ts::kernels
