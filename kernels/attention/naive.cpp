#include <ATen/ops/arange.h>
#include <ATen/ops/div.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/lt.h>
#include <ATen/ops/masked_fill.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/softmax.h>

#include <cmath>
#include <limits>
#include <utility>

#include "kernels/attention/attend.h"
#include "kernels/attention/mask.h"
#include "kernels/layers/dropout.h"
#include "kernels/layers/softcap.h"
#include "kernels/layers/written.h"
#include "kernels/observe/custom_node.h"
#include "kernels/operators/softmax.h"

namespace ts::kernels {

at::Tensor repeat_heads(const at::Tensor& x, std::int64_t heads) {
  const std::int64_t groups = heads / x.size(1);
  if (groups == 1) return x;
  return x.unsqueeze(2).expand({-1, -1, groups, -1, -1}).flatten(1, 2);
}

namespace {

at::Tensor causal_mask(const at::Tensor& q) {
  const at::Tensor position = at::arange(q.size(-2), q.options().dtype(at::kLong));
  return at::lt(position.unsqueeze(1), position.unsqueeze(0));
}

// True where a query must not look: [T, T], or a copy of it for every sequence and head.
at::Tensor mask_of(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k) {
  const std::int64_t length = q.size(-2), keys = k.size(-2);
  if (method.written.mask == spec::CausalMask::shared) {
    return first_part(method.hidden, length, keys);
  }
  const at::Tensor mask = method.masks.any()
                              ? hidden_keys(method.masks, {{0, length}, {0, keys}, keys == length},
                                            method.lengths, q.options())
                              : causal_mask(q);
  if (method.written.mask == spec::CausalMask::layer) return mask;
  return mask.expand({q.size(0), q.size(1), length, keys}).contiguous();
}

bool by_einsum(const AttentionMethod& method) {
  return method.written.products == spec::ProductForm::einsum;
}

at::Tensor scores_of(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k) {
  const at::Tensor keys = repeat_heads(k, q.size(1));
  if (by_einsum(method)) return at::einsum("bhqd,bhkd->bhqk", {q, keys});
  return at::matmul(q, keys.transpose(-2, -1));
}

at::Tensor softmax_of(const AttentionMethod& method, at::Tensor scores) {
  if (method.kernels == spec::Kernels::own) {
    note_custom_node(AttentionKernel::softmax);
    return own_softmax(scores);
  }
  if (method.written.softmax == spec::Form::written) return written_softmax(std::move(scores));
  return at::softmax(scores, -1);
}

}  // namespace

at::Tensor attend_naive(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                        const at::Tensor& v) {
  // One variable for all T x T tensors: each is freed as soon as the next exists.
  at::Tensor scores = scores_of(method, q, k);
  scores = at::div(scores, std::sqrt(static_cast<double>(q.size(-1))));
  if (method.softcap > 0) scores = capped(std::move(scores), method.softcap);
  if (method.causal || method.masks.any()) {
    scores =
        at::masked_fill(scores, mask_of(method, q, k), -std::numeric_limits<double>::infinity());
  }
  scores = softmax_of(method, std::move(scores));
  scores = drop(scores, method.dropout);
  const at::Tensor values = repeat_heads(v, q.size(1));
  if (by_einsum(method)) return at::einsum("bhqk,bhkd->bhqd", {scores, values});
  return at::matmul(scores, values);
}

}  // namespace ts::kernels
