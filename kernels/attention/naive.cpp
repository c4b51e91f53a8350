#include <ATen/ops/div.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include <cmath>
#include <limits>

#include "kernels/attention/attend.h"
#include "kernels/observe/custom_node.h"
#include "kernels/operators/softmax.h"

namespace ts::kernels {
namespace {

// [B, H_kv, T, d] to [B, heads, T, d], each head repeated for the queries that share it; a copy
// unless there is nothing to repeat.
at::Tensor repeat_heads(const at::Tensor& x, std::int64_t heads) {
  const std::int64_t groups = heads / x.size(1);
  if (groups == 1) return x;
  return x.unsqueeze(2).expand({-1, -1, groups, -1, -1}).flatten(1, 2);
}

}  // namespace

at::Tensor attend_naive(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                        const at::Tensor& v) {
  const at::Tensor& causal_mask = method.causal_mask;
  // One variable for all T x T tensors: each is freed as soon as the next exists.
  at::Tensor scores = at::matmul(q, repeat_heads(k, q.size(1)).transpose(-2, -1));
  scores = at::div(scores, std::sqrt(static_cast<double>(q.size(-1))));
  if (causal_mask.defined()) {
    const std::int64_t length = q.size(-2);
    const bool all = length == causal_mask.size(0);
    const at::Tensor mask =
        all ? causal_mask : causal_mask.narrow(0, 0, length).narrow(1, 0, length);
    scores = at::masked_fill(scores, mask, -std::numeric_limits<double>::infinity());
  }
  if (method.kernels == spec::Kernels::own) {
    note_custom_node(AttentionKernel::softmax);
    scores = own_softmax(scores);
  } else {
    scores = at::softmax(scores, -1);
  }
  return at::matmul(scores, repeat_heads(v, q.size(1)));
}

}  // namespace ts::kernels
