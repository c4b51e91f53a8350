#include <ATen/ops/div.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include <cmath>
#include <limits>

#include "kernels/attention/attend.h"

namespace ts::kernels {

at::Tensor attend_naive(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                        const at::Tensor& causal_mask) {
  // One variable for all T x T tensors: each is let go as soon as the next exists.
  at::Tensor scores = at::matmul(q, k.transpose(-2, -1));
  scores = at::div(scores, std::sqrt(static_cast<double>(q.size(-1))));
  if (causal_mask.defined()) {
    scores = at::masked_fill(scores, causal_mask, -std::numeric_limits<double>::infinity());
  }
  scores = at::softmax(scores, -1);
  return at::matmul(scores, v);
}

}  // namespace ts::kernels
