#pragma once

#include <ATen/core/Tensor.h>

#include "core/spec/workload_spec.h"
#include "kernels/layers/builder.h"

namespace ts::kernels {

// How attention is computed. causal_mask is only for naive: bool [n, n] for contexts up to n, true
// where a query may not look; undefined without causal.
struct AttentionMethod {
  spec::AttentionBackend backend = spec::AttentionBackend::naive;
  bool causal = true;
  at::Tensor causal_mask;
  std::int64_t tile_q = 64;  // of backend tiled
  std::int64_t tile_k = 64;
  bool checkpointed = false;  // keep Q, K and V only and attend again in the backward
};

// The method of a spec. The mask naive attention needs is kept as an input and shared by all layers
// (a registered buffer, as model code has it).
AttentionMethod make_attention_method(Builder& builder, const spec::WorkloadSpec& spec);

// The same without a mask.
AttentionMethod unmasked(AttentionMethod method);

// softmax(Q K^T / sqrt(d_head)) V. q: [B, H, T, d_head], the result too; k, v: [B, H_kv, T_kv,
// d_head]. Each of the H_kv heads serves H / H_kv consecutive heads of q (grouped queries, Ainslie
// et al. 2023).
at::Tensor attend(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                  const at::Tensor& v);

// The textbook way, every T x T tensor materialised by its own operator: scores, scaled scores,
// masked scores, probabilities. Out of place: two T x T tensors live at once in a forward. Keys and
// values of grouped queries are repeated for every head.
at::Tensor attend_naive(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                        const at::Tensor& causal_mask);

// at::scaled_dot_product_attention, steered to one kernel, or left to choose (automatic). What
// cannot run as asked is an error of LibTorch, never silently another kernel. The switches are
// process-wide in LibTorch; they are set around the call and put back. Worker thread.
at::Tensor attend_sdpa(spec::AttentionBackend backend, bool causal, const at::Tensor& q,
                       const at::Tensor& k, const at::Tensor& v);

// FlashAttention-2 (Dao 2023, algorithms 1 and 2) out of plain operators, one tile of tile_q
// queries and tile_k keys after the other: no T x T tensor is ever made. Saves Q, K, V, O and the
// logarithm of the row sums L [B, H, T, 1] (fp32); the backward computes the tiles again and starts
// from D = rowsum(dO * O). Tiles are fp32 whatever the dtype, as in the kernels; remainder tiles
// are as wide as what is left, tiles above the diagonal are skipped when causal.
at::Tensor attend_tiled(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                        const at::Tensor& v);

}  // namespace ts::kernels
