#pragma once

#include <ATen/core/Tensor.h>

#include "core/spec/masking.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_spec.h"
#include "kernels/layers/builder.h"
#include "kernels/own/attention_kernel.h"

namespace ts::kernels {

// The method of attention. What is made once for all layers: `hidden` for naive, bool [n, n] for
// contexts up to n, true where a query must not look, with padding [B, 1, n, n]; undefined without
// a mask, and where every layer makes its own. `visible` for PyTorch's kernels, the opposite, where
// there is more than the causal mask. Shorter contexts see their first part. `lengths`: of
// sequences with padding (mask.h).
struct AttentionMethod {
  spec::AttentionBackend backend = spec::AttentionBackend::naive;
  bool causal = true;
  spec::Masking masks;
  at::Tensor hidden, visible, lengths;
  double dropout = 0;  // of the probabilities
  double softcap = 0;  // of naive: scores become softcap tanh(score / softcap); 0: they do not
  std::int64_t tile_q = 64;  // of the backends tiled and own
  std::int64_t tile_k = 64;
  bool checkpointed = false;  // keep Q, K and V only and attend again in the backward
  spec::Kernels kernels = spec::Kernels::torch;  // of naive's softmax
  spec::Writing written;                         // of naive
};

// The method of a spec. Masks that are made once are kept as inputs (registered buffers, as in
// model code).
AttentionMethod make_attention_method(Builder& builder, const spec::WorkloadSpec& spec);

// The first queries and keys of a mask [..., n, m]; the mask itself if it has no more. A mask with
// one row for all queries keeps it.
at::Tensor first_part(const at::Tensor& mask, std::int64_t queries, std::int64_t keys);

// The same without a mask, for a single query behind all keys.
AttentionMethod unmasked(AttentionMethod method);

// [B, H_kv, T, d] to [B, heads, T, d], each head repeated for the queries that share it; a copy
// unless there is nothing to repeat.
at::Tensor repeat_heads(const at::Tensor& x, std::int64_t heads);

// softmax(Q K^T / sqrt(d_head)) V. q: [B, H, T, d_head], the result too; k, v: [B, H_kv, T_kv,
// d_head]. Each of the H_kv heads serves H / H_kv consecutive heads of q (grouped queries, Ainslie
// et al. 2023).
at::Tensor attend(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                  const at::Tensor& v);

// The textbook method: every T x T tensor is materialised by its own operator (scores, scaled
// scores, masked scores, probabilities). Out of place: two T x T tensors live at once in a forward.
// Keys and values of grouped queries are repeated for every head.
at::Tensor attend_naive(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                        const at::Tensor& v);

// at::scaled_dot_product_attention, forced to one kernel, or with a free choice (automatic). If
// that kernel cannot run, LibTorch reports an error; it never silently uses another kernel. The
// switches are process-wide in LibTorch; they are set for the call and restored. Keys and values of
// grouped queries are repeated where there is a mask, as transformers does: on a card no kernel but
// math takes groups with one. Worker thread.
at::Tensor attend_sdpa(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                       const at::Tensor& v);

// FlashAttention-2 (Dao 2023, algorithms 1 and 2) written in plain operators, one tile of tile_q
// queries and tile_k keys after the other: no T x T tensor is ever made. Saves Q, K, V, O and the
// logarithm of the row sums L [B, H, T, 1] (fp32); the backward recomputes the tiles and starts
// from D = rowsum(dO * O). Tiles are fp32 whatever the dtype, as in the kernels; remainder tiles
// are narrower, and tiles that the masks hide as a whole are skipped.
at::Tensor attend_tiled(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                        const at::Tensor& v);

// The same by the kernels of kernels/own. Saves Q, K, V, O and the logarithms of the row sums
// [B, H, T] in fp64; besides, each thread has memory for its tiles. All types; fp64 by the portable
// kernel. kernel: null for the fastest of this processor. Any tiles give the same result but for
// rounding. On CUDA by attend_own_on_cuda().
struct OwnTiles {
  std::int64_t queries = 64, keys = 64;
};
at::Tensor attend_own(bool causal, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                      const own::AttentionKernel* kernel = nullptr, OwnTiles tiles = {});

// The same by kernels/own_cuda, in the fastest stage that the card has for the type: tensor_core
// for 16 bits from sm_80 on, else tiled. Tiles are those of the stage. fp32, bf16 and fp16, heads
// up to 256 wide; one that is not 32, 64, 128 or 256 wide is filled up with zeros, in copies. The
// kernels want dense heads, so that Q, K, V that are not are copied. Every gradient has the same
// bits at every run.
at::Tensor attend_own_on_cuda(bool causal, const at::Tensor& q, const at::Tensor& k,
                              const at::Tensor& v);

}  // namespace ts::kernels
