#pragma once

#include <ATen/core/Tensor.h>

#include "core/run/workload_spec.h"
#include "kernels/layers/builder.h"

namespace ts::kernels {

// How attention is computed. causal_mask is only for naive: bool [T, T], true where a query may not
// look; undefined without causal.
struct AttentionMethod {
  run::AttentionBackend backend = run::AttentionBackend::naive;
  bool causal = true;
  at::Tensor causal_mask;
};

// The mask naive attention needs, kept as an input and shared by all layers (a registered buffer,
// as model code has it); undefined if the method has none.
at::Tensor make_causal_mask(Builder& builder, const AttentionMethod& method, std::int64_t seq_len);

// softmax(Q K^T / sqrt(d_head)) V. q, k, v: [B, H, T, d_head]; the result too.
at::Tensor attend(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                  const at::Tensor& v);

// The textbook way, every T x T tensor materialised by its own operator: scores, scaled scores,
// masked scores, probabilities. Out of place: two T x T tensors live at once in a forward.
at::Tensor attend_naive(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                        const at::Tensor& causal_mask);

// at::scaled_dot_product_attention, steered to math or flash, or left to choose (automatic). What
// cannot run as asked is an error of LibTorch, never silently another kernel. The switches are
// process-wide in LibTorch; they are set around the call and put back. Worker thread.
at::Tensor attend_sdpa(run::AttentionBackend backend, bool causal, const at::Tensor& q,
                       const at::Tensor& k, const at::Tensor& v);

}  // namespace ts::kernels
