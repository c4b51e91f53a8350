// Attention, the tensor-core stage: FlashAttention-2 (Dao 2023, arXiv 2307.08691), algorithms 1 and
// 2, on mma.sync, with numbers of 16 bits and sums of 32. From sm_80.
//
//   forward, a block a tile i of queries, a       backward, no sum is shared by two blocks:
//   warp 32 or 16 of them:                          a block a tile i of queries (dQ):
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

constexpr int kThreads = 128;  // that have a tile's rows: four warps
template <int d_head>
constexpr int kForwardKeys = report::tensor_core_forward_other(d_head);
template <int d_head>
constexpr int kFragments = report::tensor_core_fragments(d_head);
template <int d_head>
constexpr int kTileRows = report::stage_sizes::tensor_core_rows(d_head);
template <int d_head>
constexpr int kKeyFragments = report::tensor_core_d_kv_fragments(d_head);
template <int d_head>
constexpr int kKeyRows = report::stage_sizes::tensor_core_d_kv_rows(d_head);
template <int d_head>
constexpr int kBackwardOther = report::tensor_core_backward_other(d_head);
template <int d_head>
constexpr int kColumnWarps = report::tensor_core_column_warps(d_head);

// The first row of this warp in a tile of four warps.
template <int fragments>
__device__ int first_row_of_warp() {
  return static_cast<int>(threadIdx.x) / 32 % 4 * fragments * 16;
}

template <class Number, int d_head>
__device__ void attention_tensor_core_forward(const Attention<Number>& a) {
  constexpr int kKeys = kForwardKeys<d_head>, kRows = kTileRows<d_head>;
  DYNAMIC_SHARED(Number, memory);
  const SwizzledTile<Number, d_head> q{memory}, k{memory + kRows * d_head},
      v{memory + (kRows + kKeys) * d_head};
  const int head = static_cast<int>(blockIdx.y), first = tile_of_block(a) * kRows;
  const int row = first_row_of_warp<kFragments<d_head>>();
  const Number* keys = head_of<d_head>(a.k, head / a.group, a.keys);
  const Number* values = head_of<d_head>(a.v, head / a.group, a.keys);
  SoftmaxRows<d_head, kFragments<d_head>> rows;
  const int end = keys_seen(a, first + kRows);
  q.template copy<kRows, kThreads>(head_of<d_head>(a.q, head, a.queries), first, a.queries);
  k.template copy<kKeys, kThreads>(keys, 0, a.keys);
  for (int j = 0; j < end; j += kKeys) {
    wait_for_copies();
    __syncthreads();  // K_j is there, and V of the step before has been read
    v.template copy<kKeys, kThreads>(values, j, a.keys);
    Sums<kFragments<d_head>, kKeys / 8> s;
    multiply_rows(s, q, row, k);
    wait_for_copies();
    __syncthreads();  // V_j is there, and K_j has been read
    if (j + kKeys < end) k.template copy<kKeys, kThreads>(keys, j + kKeys, a.keys);
    if (j + kKeys > a.keys || (a.causal != 0 && j + kKeys > first + row))
      mask_scores(a, s, first + row, j);
    rows.soften(s, a.scale * kLog2E);
    rows.shrink_output();
    add_product(rows.o, s, v);
  }
  rows.write(a, head, first + row);
}

// The tiles of the other side, which come two at a time while those before are multiplied.
template <class Number, int d_head, int threads>
struct BackwardTiles {
  static constexpr int kRows = kBackwardOther<d_head>;
  Number* memory;

  __device__ SwizzledTile<Number, d_head> tile(int step, int which) const {
    return {memory + (step % report::kTensorCoreBackwardPlaces * 2 + which) * kRows * d_head};
  }
  __device__ void copy(int step, const Number* head, const Number* other_head, int first,
                       int end) const {
    tile(step, 0).template copy<kRows, threads>(head, first, end);
    tile(step, 1).template copy<kRows, threads>(other_head, first, end);
  }
};

template <class Number, int d_head>
__device__ void attention_tensor_core_d_q(const Attention<Number>& a) {
  constexpr int kOther = kBackwardOther<d_head>, kRows = kTileRows<d_head>;
  DYNAMIC_SHARED(Number, memory);
  const SwizzledTile<Number, d_head> q{memory}, d_o{memory + kRows * d_head};
  const BackwardTiles<Number, d_head, kThreads> tiles{memory + 2 * kRows * d_head};
  const int head = static_cast<int>(blockIdx.y), first = tile_of_block(a) * kRows;
  const int row = first_row_of_warp<kFragments<d_head>>();
  const Number* keys = head_of<d_head>(a.k, head / a.group, a.keys);
  const Number* values = head_of<d_head>(a.v, head / a.group, a.keys);
  const float scale = a.scale * kLog2E;
  Sums<kFragments<d_head>, d_head / 8> d_q = {};
  float log_sum[kFragments<d_head>][2], row_d[kFragments<d_head>][2];
  for (int f = 0; f < kFragments<d_head>; ++f) {
    for (int half = 0; half < 2; ++half) {
      const int query = min(first + row + row_of_sum(f, half * 2), a.queries - 1);
      log_sum[f][half] = a.log_sums[head * a.queries + query] * kLog2E;
      row_d[f][half] = a.row_sums[head * a.queries + query];
    }
  }
  q.template copy<kRows, kThreads>(head_of<d_head>(a.q, head, a.queries), first, a.queries);
  d_o.template copy<kRows, kThreads>(head_of<d_head>(a.d_o, head, a.queries), first, a.queries);
  const int end = keys_seen(a, first + kRows);
  tiles.copy(0, keys, values, 0, a.keys);
  for (int j = 0, step = 0; j < end; j += kOther, ++step) {
    wait_for_copies();
    __syncthreads();  // the tiles are there, and those of the step before have been read
    if (j + kOther < end) tiles.copy(step + 1, keys, values, j + kOther, a.keys);
    const auto k = tiles.tile(step, 0), v = tiles.tile(step, 1);
    Sums<kFragments<d_head>, kOther / 8> s, d_p;
    multiply_rows(s, q, row, k);
    multiply_rows(d_p, d_o, row, v);
    if (j + kOther > a.keys || (a.causal != 0 && j + kOther > first + row))
      mask_scores(a, s, first + row, j);
#pragma unroll
    for (int f = 0; f < kFragments<d_head>; ++f) {
#pragma unroll
      for (int i = 0; i < kOther / 8; ++i) {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          const float p = power_of_two(scale * s[f][i][c] - log_sum[f][c / 2]);
          s[f][i][c] = p * (d_p[f][i][c] - row_d[f][c / 2]);
        }
      }
    }
    add_product(d_q, s, k);
  }
  for (int f = 0; f < kFragments<d_head>; ++f) {
    write_rows<Number, d_head>(head_of<d_head>(a.d_q, head, a.queries), first + row + f * 16,
                               a.queries, d_q[f], a.scale, a.scale);
  }
}

// Two warps share 16 keys of a wide head: both make P and dS, each half of the columns of
// dK and dV, which together would need more registers than a thread can have.
template <class Number, int d_head>
__device__ void attention_tensor_core_d_kv(const Attention<Number>& a) {
  constexpr int kOther = kBackwardOther<d_head>, kRows = kKeyRows<d_head>;
  constexpr int kSumBlocks = d_head / 8 / kColumnWarps<d_head>;
  constexpr int kBoth = kColumnWarps<d_head> * kThreads;
  const int first_block = static_cast<int>(threadIdx.x) / kThreads * kSumBlocks;
  DYNAMIC_SHARED(Number, memory);
  const SwizzledTile<Number, d_head> k{memory}, v{memory + kRows * d_head};
  const BackwardTiles<Number, d_head, kBoth> tiles{memory + 2 * kRows * d_head};
  const int kv_head = static_cast<int>(blockIdx.y);
  const int first = static_cast<int>(blockIdx.x) * kRows,
            row = first_row_of_warp<kKeyFragments<d_head>>();
  const float scale = a.scale * kLog2E;
  Sums<kKeyFragments<d_head>, kSumBlocks> d_k = {}, d_v = {};
  k.template copy<kRows, kBoth>(head_of<d_head>(a.k, kv_head, a.keys), first, a.keys);
  v.template copy<kRows, kBoth>(head_of<d_head>(a.v, kv_head, a.keys), first, a.keys);
  const QueryTiles<kOther> queries(a, kv_head, first);
  const auto copy = [&](int step) {
    const int head = queries.head(step);
    tiles.copy(step, head_of<d_head>(a.q, head, a.queries), head_of<d_head>(a.d_o, head, a.queries),
               queries.query(step), a.queries);
  };
  if (queries.all > 0) copy(0);
  for (int step = 0; step < queries.all; ++step) {
    wait_for_copies();
    __syncthreads();
    if (step + 1 < queries.all) copy(step + 1);
    const int head = queries.head(step), i0 = queries.query(step);
    const auto q = tiles.tile(step, 0), d_o = tiles.tile(step, 1);
    Sums<kKeyFragments<d_head>, kOther / 8> p, d_s;  // transposed: a row for each key
    multiply_rows(p, k, row, q);
    multiply_rows(d_s, v, row, d_o);
    if (i0 + kOther > a.queries || (a.causal != 0 && i0 < first + row + 16 * kKeyFragments<d_head>))
      mask_transposed(a, p, first + row, i0);
#pragma unroll
    for (int i = 0; i < kOther / 8; ++i) {
#pragma unroll
      for (int column = 0; column < 2; ++column) {
        const int query = min(i0 + column_of_sum(i, column), a.queries - 1);
        const float log_sum = a.log_sums[head * a.queries + query] * kLog2E;
        const float row_d = a.row_sums[head * a.queries + query];
#pragma unroll
        for (int f = 0; f < kKeyFragments<d_head>; ++f) {
#pragma unroll
          for (int c = column; c < 4; c += 2) {
            p[f][i][c] = power_of_two(scale * p[f][i][c] - log_sum);
            d_s[f][i][c] = p[f][i][c] * (d_s[f][i][c] - row_d);
          }
        }
      }
    }
    add_product(d_v, p, d_o, first_block);
    add_product(d_k, d_s, q, first_block);
  }
  Number* const all_d_k = head_of<d_head>(a.d_k, kv_head, a.keys);
  Number* const all_d_v = head_of<d_head>(a.d_v, kv_head, a.keys);
  for (int f = 0; f < kKeyFragments<d_head>; ++f) {
    const int key = first + row + f * 16;
    write_rows<Number, d_head>(all_d_k, key, a.keys, d_k[f], a.scale, a.scale, first_block);
    write_rows<Number, d_head>(all_d_v, key, a.keys, d_v[f], 1, 1, first_block);
  }
}

}  // namespace ts::kernels::own_cuda

#define TENSORSCOPE_TENSOR_CORE(Number, type)                                          \
  TENSORSCOPE_ATTENTION_KERNELS(attention_tensor_core_forward, Number, type, 128, 128) \
  TENSORSCOPE_ATTENTION_KERNELS(attention_tensor_core_d_q, Number, type, 128, 128)     \
  TENSORSCOPE_ATTENTION_KERNELS(attention_tensor_core_d_kv, Number, type, 128, 256)
TENSORSCOPE_TENSOR_CORE(ts::kernels::own_cuda::Bf16, bf16)
TENSORSCOPE_TENSOR_CORE(ts::kernels::own_cuda::Fp16, fp16)
