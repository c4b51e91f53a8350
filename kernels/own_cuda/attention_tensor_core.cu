// Attention, the tensor-core stage: FlashAttention-2 (Dao 2023, arXiv 2307.08691), algorithms 1 and
// 2, on mma.sync, with numbers of 16 bits and sums of 32. From sm_80.
//
//   forward, a block a tile i of queries, a       backward, no sum is shared by two blocks:
//   warp 16 of them:                                a block a tile i of queries (dQ):
//     O = 0, l = 0, m = -inf                          for each tile j of keys
//     for each tile j of keys                           P = exp(scale Q_i K_j^T - L_i)
//       copy V_j; S = Q_i K_j^T                         dS = P o (dO_i V_j^T - D_i)
//       copy K_j+1; m' = max(m, rowmax S)               dQ_i += scale dS K_j
//       P = exp(scale (S - m'))                     a block a tile j of keys (dK, dV), transposed:
//       l = exp(scale (m - m')) l + rowsum P          for each tile i of queries
//       O = exp(scale (m - m')) O + P V_j, m = m'       P^T = exp(scale K_j Q_i^T - L_i)
//     O = O / l, L = scale m + log l                    dS^T = P^T o (V_j dO_i^T - D_i)
//                                                       dV_j += P^T dO_i, dK_j += scale dS^T Q_i
//
// Tiles come by cp.async into swizzled shared memory (tensor_core.h), fragments by ldmatrix. Sums
// of one product are the left factor of the next without leaving their registers (section 3.3 of
// the paper: warps divide the rows, not the columns). Exponentials are of 2, with log2 e in the
// scale.
#include "kernels/own_cuda/softmax_rows.h"
#include "kernels/own_cuda/tensor_core.h"

namespace ts::kernels::own_cuda {

constexpr int kWarpRows = 16;
constexpr int kTileRows = report::kTensorCoreRows;  // of a block: four warps
constexpr int kBackwardOther = report::kTensorCoreBackwardOther;
template <int d_head>
constexpr int kForwardKeys = report::tensor_core_forward_other(d_head);
template <int d_head>
constexpr int kColumnWarps = report::tensor_core_column_warps(d_head);

__device__ inline int first_row_of_warp() {
  return static_cast<int>(threadIdx.x) / 32 * kWarpRows % kTileRows;
}

template <class Number, int d_head>
__device__ void attention_tensor_core_forward(const Attention<Number>& a) {
  constexpr int kKeys = kForwardKeys<d_head>, kBlocks = kKeys / 8;
  DYNAMIC_SHARED(Number, memory);
  const SwizzledTile<Number, d_head> q{memory}, k{memory + kTileRows * d_head},
      v{memory + (kTileRows + kForwardKeys<d_head>)*d_head};
  const int head = static_cast<int>(blockIdx.y), first = static_cast<int>(blockIdx.x) * kTileRows;
  const int row = first_row_of_warp();
  const Number* keys = head_of<d_head>(a.k, head / a.group, a.keys);
  const Number* values = head_of<d_head>(a.v, head / a.group, a.keys);
  const float scale = a.scale * kLog2E;
  SoftmaxRows<d_head> rows;
  const int end = keys_seen(a, first + kTileRows);
  q.copy(head_of<d_head>(a.q, head, a.queries), first, kTileRows, a.queries);
  k.copy(keys, 0, kForwardKeys<d_head>, a.keys);
  for (int j = 0; j < end; j += kForwardKeys<d_head>) {
    wait_for_copies();
    __syncthreads();  // K_j is there, and V of the step before has been read
    v.copy(values, j, kForwardKeys<d_head>, a.keys);
    float s[kBlocks][4];
    multiply_rows(s, q, row, k);
    wait_for_copies();
    __syncthreads();  // V_j is there, and K_j has been read
    if (j + kForwardKeys<d_head> < end)
      k.copy(keys, j + kForwardKeys<d_head>, kForwardKeys<d_head>, a.keys);

    const bool masked = j + kKeys > a.keys || (a.causal != 0 && j + kKeys > first);
    float largest[2] = {rows.m[0], rows.m[1]};
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        if (masked && !sees(a, first + row + row_of_sum(c), j + column_of_sum(i, c))) {
          s[i][c] = kLowest;
        }
        largest[c / 2] = fmaxf(largest[c / 2], s[i][c]);
      }
    }
    rows.soften(s, largest, scale);
    add_product(rows.o, s, v);
  }
  for (int half = 0; half < 2; ++half) {
    const int query = first + row + row_of_sum(half * 2);
    rows.l[half] = row_sum(rows.l[half]);
    if (lane_of_warp() % 4 == 0 && query < a.queries) {
      a.log_sums[head * a.queries + query] =
          rows.l[half] == 0 ? -kLowest : a.scale * rows.m[half] + logf(rows.l[half]);
    }
    rows.l[half] = rows.l[half] == 0 ? 0 : 1 / rows.l[half];
  }
  write_rows<Number, d_head>(head_of<d_head>(a.o, head, a.queries), first + row, a.queries, rows.o,
                             rows.l[0], rows.l[1]);
}

template <class Number, int d_head>
__device__ void attention_tensor_core_d_q(const Attention<Number>& a) {
  constexpr int kBlocks = kBackwardOther / 8;
  DYNAMIC_SHARED(Number, memory);
  const SwizzledTile<Number, d_head> q{memory}, d_o{memory + kTileRows * d_head},
      k{memory + 2 * kTileRows * d_head}, v{memory + (2 * kTileRows + kBackwardOther) * d_head};
  const int head = static_cast<int>(blockIdx.y), first = static_cast<int>(blockIdx.x) * kTileRows;
  const int row = first_row_of_warp();
  const float scale = a.scale * kLog2E;
  float d_q[d_head / 8][4] = {}, log_sum[2], row_d[2];
  for (int half = 0; half < 2; ++half) {
    const int query = min(first + row + row_of_sum(half * 2), a.queries - 1);
    log_sum[half] = a.log_sums[head * a.queries + query] * kLog2E;
    row_d[half] = a.row_sums[head * a.queries + query];
  }
  q.copy(head_of<d_head>(a.q, head, a.queries), first, kTileRows, a.queries);
  d_o.copy(head_of<d_head>(a.d_o, head, a.queries), first, kTileRows, a.queries);
  const int end = keys_seen(a, first + kTileRows);
  for (int j = 0; j < end; j += kBackwardOther) {
    __syncthreads();  // the tiles before have been read
    k.copy(head_of<d_head>(a.k, head / a.group, a.keys), j, kBackwardOther, a.keys);
    v.copy(head_of<d_head>(a.v, head / a.group, a.keys), j, kBackwardOther, a.keys);
    wait_for_copies();
    __syncthreads();
    float s[kBlocks][4], d_p[kBlocks][4];
    multiply_rows(s, q, row, k);
    multiply_rows(d_p, d_o, row, v);
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const bool seen = sees(a, first + row + row_of_sum(c), j + column_of_sum(i, c));
        const float p = seen ? exp2f(scale * s[i][c] - log_sum[c / 2]) : 0;
        s[i][c] = p * (d_p[i][c] - row_d[c / 2]);
      }
    }
    add_product(d_q, s, k);
  }
  write_rows<Number, d_head>(head_of<d_head>(a.d_q, head, a.queries), first + row, a.queries, d_q,
                             a.scale, a.scale);
}

// Two warps share 16 keys of a wide head: both make P and dS, each half of the columns of
// dK and dV, which together would need more registers than a thread can have.
template <class Number, int d_head>
__device__ void attention_tensor_core_d_kv(const Attention<Number>& a) {
  constexpr int kBlocks = kBackwardOther / 8;
  constexpr int kSumBlocks = d_head / 8 / kColumnWarps<d_head>;
  const int first_block = static_cast<int>(threadIdx.x) / (2 * kTileRows) * kSumBlocks;
  DYNAMIC_SHARED(Number, memory);
  const SwizzledTile<Number, d_head> k{memory}, v{memory + kTileRows * d_head},
      q{memory + 2 * kTileRows * d_head}, d_o{memory + (2 * kTileRows + kBackwardOther) * d_head};
  const int kv_head = static_cast<int>(blockIdx.y);
  const int first = static_cast<int>(blockIdx.x) * kTileRows, row = first_row_of_warp();
  const float scale = a.scale * kLog2E;
  float d_k[kSumBlocks][4] = {}, d_v[kSumBlocks][4] = {};
  k.copy(head_of<d_head>(a.k, kv_head, a.keys), first, kTileRows, a.keys);
  v.copy(head_of<d_head>(a.v, kv_head, a.keys), first, kTileRows, a.keys);
  for (int head = kv_head * a.group; head < (kv_head + 1) * a.group; ++head) {
    // Queries before the first key of the tile see none of it.
    for (int j = a.causal != 0 ? first : 0; j < a.queries; j += kBackwardOther) {
      __syncthreads();
      q.copy(head_of<d_head>(a.q, head, a.queries), j, kBackwardOther, a.queries);
      d_o.copy(head_of<d_head>(a.d_o, head, a.queries), j, kBackwardOther, a.queries);
      wait_for_copies();
      __syncthreads();
      float p[kBlocks][4], d_s[kBlocks][4];  // transposed: a row for each key
      multiply_rows(p, k, row, q);
      multiply_rows(d_s, v, row, d_o);
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          const int query = j + column_of_sum(i, c);
          const int place = head * a.queries + min(query, a.queries - 1);
          const bool seen = query < a.queries && sees(a, query, first + row + row_of_sum(c));
          p[i][c] = seen ? exp2f(scale * p[i][c] - a.log_sums[place] * kLog2E) : 0;
          d_s[i][c] = p[i][c] * (d_s[i][c] - a.row_sums[place]);
        }
      }
      add_product(d_v, p, d_o, first_block);
      add_product(d_k, d_s, q, first_block);
    }
  }
  write_rows<Number, d_head>(head_of<d_head>(a.d_k, kv_head, a.keys), first + row, a.keys, d_k,
                             a.scale, a.scale, first_block);
  write_rows<Number, d_head>(head_of<d_head>(a.d_v, kv_head, a.keys), first + row, a.keys, d_v, 1,
                             1, first_block);
}

}  // namespace ts::kernels::own_cuda

#define TENSORSCOPE_TENSOR_CORE(Number, type)                                          \
  TENSORSCOPE_ATTENTION_KERNELS(attention_tensor_core_forward, Number, type, 128, 128) \
  TENSORSCOPE_ATTENTION_KERNELS(attention_tensor_core_d_q, Number, type, 128, 128)     \
  TENSORSCOPE_ATTENTION_KERNELS(attention_tensor_core_d_kv, Number, type, 128, 256)
TENSORSCOPE_TENSOR_CORE(ts::kernels::own_cuda::Bf16, bf16)
TENSORSCOPE_TENSOR_CORE(ts::kernels::own_cuda::Fp16, fp16)
