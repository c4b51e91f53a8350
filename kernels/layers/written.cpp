#include "kernels/layers/written.h"

#include <ATen/ops/div.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/log.h>
#include <ATen/ops/max.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/sum.h>

#include <tuple>

namespace ts::kernels {
namespace {

at::Tensor less_largest(const at::Tensor& x) {
  // Alone in its line: the places of the largest go before the difference comes.
  const at::Tensor largest = std::get<0>(at::max(x, /*dim=*/-1, /*keepdim=*/true));
  return at::sub(x, largest);
}

}  // namespace

at::Tensor written_softmax(at::Tensor x) {
  x = less_largest(x);
  x = at::exp(x);
  return at::div(x, at::sum(x, {-1}, /*keepdim=*/true));
}

at::Tensor written_silu(const at::Tensor& x) {
  return at::mul(x, at::sigmoid(x));
}

at::Tensor written_cross_entropy(const at::Tensor& logits, const at::Tensor& targets) {
  const at::Tensor shifted = less_largest(logits);
  const at::Tensor normaliser = at::log(at::sum(at::exp(shifted), {-1}));
  const at::Tensor chosen = at::gather(shifted, -1, targets.unsqueeze(-1)).squeeze(-1);
  return at::mean(at::sub(normaliser, chosen));
}

}  // namespace ts::kernels
