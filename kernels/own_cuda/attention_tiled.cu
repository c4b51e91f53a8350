// Attention, the tiled stage: FlashAttention-2 (Dao 2023, arXiv 2307.08691), algorithms 1 and 2,
// with tiles in shared memory and sums in registers, on the cores for fp32.
//
//   forward, a block a tile i of queries:         backward, no sum is shared by two blocks:
//     O = 0, l = 0, m = -inf                        a block a tile i of queries (dQ):
//     for each tile j of keys                         for each tile j of keys
//       S = scale Q_i K_j^T                             P = exp(scale Q_i K_j^T - L_i)
//       m' = max(m, rowmax S)                           dS = P o (dO_i V_j^T - D_i)
//       P = exp(S - m')                                 dQ_i += scale dS K_j
//       l = exp(m - m') l + rowsum P                a block a tile j of keys (dK, dV):
//       O = exp(m - m') O + P V_j, m = m'             for each tile i of queries
//     O = O / l, L = m + log l                          dV_j += P^T dO_i, dK_j += scale dS^T Q_i
//
// 16 x 16 threads, of a tile of 8 rows 16 x 8. Thread (x, y) has the rows y * rows + r of a tile,
// in S the columns x + 16 c and in O the columns x + 16 n. Rows of shared memory have one number
// more than a head, so that 16 of them lie in 16 banks. Algorithm 2 adds to dQ in memory; here P
// and dS are computed twice instead.
#include "kernels/own_cuda/attention.h"

namespace ts::kernels::own_cuda {

constexpr int kSide = 16;  // threads of a row
template <int d_head>
constexpr int kOther = report::tiled_other(d_head);
template <int d_head>
constexpr int kColumns = kOther<d_head> / kSide;
template <int d_head>
constexpr int kScoreRow = kOther<d_head> + 1;
// Rows of a tile for a thread.
template <int tile>
constexpr int kRowsOfThread = tile < kSide ? 1 : tile / kSide;
template <int d_head>
constexpr int kForwardRows = report::tiled_forward_rows(d_head);
template <int d_head>
constexpr int kBackwardRows = report::tiled_backward_rows(d_head);

// Copies rows of a head to shared memory; zeros after its last row.
template <int d_head, class Number>
__device__ void load_tile(float* tile, const Number* head, int first, int rows, int end) {
  const int thread = static_cast<int>(threadIdx.y * kSide + threadIdx.x);
  const int threads = static_cast<int>(blockDim.x * blockDim.y);
  for (int i = thread; i < rows * d_head; i += threads) {
    const int row = i / d_head, column = i % d_head;
    const bool inside = first + row < end;
    tile[row * (d_head + 1) + column] =
        inside ? widen(head[(first + row) * d_head + column]) : 0.0F;
  }
}

// s[r][c] = row r of a times row c of b, of this thread's rows.
template <int d_head, int rows>
__device__ void multiply_rows(float (&s)[rows][kColumns<d_head>], const float* a, const float* b) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < kColumns<d_head>; ++c) s[r][c] = 0;
  }
  for (int i = 0; i < d_head; ++i) {
    float right[kColumns<d_head>];
#pragma unroll
    for (int c = 0; c < kColumns<d_head>; ++c) right[c] = b[(x + kSide * c) * (d_head + 1) + i];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const float left = a[(y * rows + r) * (d_head + 1) + i];
#pragma unroll
      for (int c = 0; c < kColumns<d_head>; ++c) s[r][c] += left * right[c];
    }
  }
}

// sum[r][n] += row r of p, which has a column for each row of b, times b.
template <int d_head, int rows>
__device__ void add_product(float (&sum)[rows][d_head / kSide], const float* p, const float* b) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  for (int i = 0; i < kOther<d_head>; ++i) {
    float left[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) left[r] = p[(y * rows + r) * kScoreRow<d_head> + i];
#pragma unroll
    for (int n = 0; n < d_head / kSide; ++n) {
      const float right = b[i * (d_head + 1) + x + kSide * n];
#pragma unroll
      for (int r = 0; r < rows; ++r) sum[r][n] += left[r] * right;
    }
  }
}

// The largest value, or the sum, of the 16 threads of a row.
__device__ inline float row_largest(float x) {
  for (int bit = kSide / 2; bit > 0; bit /= 2) x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, bit));
  return x;
}
__device__ inline float row_sum(float x) {
  for (int bit = kSide / 2; bit > 0; bit /= 2) x += __shfl_xor_sync(0xFFFFFFFFU, x, bit);
  return x;
}

template <int d_head, int rows, class Number>
__device__ void write_rows(Number* head, int first, int end,
                           const float (&sum)[rows][d_head / kSide], const float (&factor)[rows]) {
  for (int r = 0; r < rows; ++r) {
    const int row = first + static_cast<int>(threadIdx.y) * rows + r;
    if (row >= end) continue;
    for (int n = 0; n < d_head / kSide; ++n) {
      narrow(sum[r][n] * factor[r], head[row * d_head + static_cast<int>(threadIdx.x) + kSide * n]);
    }
  }
}

template <class Number, int d_head>
__device__ void attention_tiled_forward(const Attention<Number>& a) {
  constexpr int kTile = kForwardRows<d_head>, kRows = kRowsOfThread<kTile>;
  DYNAMIC_SHARED(float, memory);
  float* q = memory;
  float* k = q + kTile * (d_head + 1);
  float* v = k + kOther<d_head> * (d_head + 1);
  float* p = v + kOther<d_head> * (d_head + 1);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int head = static_cast<int>(blockIdx.y), first = static_cast<int>(blockIdx.x) * kTile;
  float o[kRows][d_head / kSide] = {}, l[kRows] = {}, m[kRows];
  for (int r = 0; r < kRows; ++r) m[r] = kLowest;
  load_tile<d_head>(q, head_of<d_head>(a.q, head, a.queries), first, kTile, a.queries);
  const int end = keys_seen(a, first + kTile);
  for (int j = 0; j < end; j += kOther<d_head>) {
    __syncthreads();  // the tiles before have been read
    load_tile<d_head>(k, head_of<d_head>(a.k, head / a.group, a.keys), j, kOther<d_head>, a.keys);
    load_tile<d_head>(v, head_of<d_head>(a.v, head / a.group, a.keys), j, kOther<d_head>, a.keys);
    __syncthreads();
    float s[kRows][kColumns<d_head>];
    multiply_rows<d_head>(s, q, k);
    for (int r = 0; r < kRows; ++r) {
      float largest = m[r];
      for (int c = 0; c < kColumns<d_head>; ++c) {
        const bool seen = sees(a, first + y * kRows + r, j + x + kSide * c);
        s[r][c] = seen ? s[r][c] * a.scale : kLowest;
        largest = fmaxf(largest, s[r][c]);
      }
      largest = row_largest(largest);
      const float base = base_of(largest), shrink = expf(m[r] - base);
      m[r] = largest;
      l[r] *= shrink;
      for (int n = 0; n < d_head / kSide; ++n) o[r][n] *= shrink;
      for (int c = 0; c < kColumns<d_head>; ++c) {
        const float weight = expf(s[r][c] - base);
        l[r] += weight;  // of this thread's columns
        p[(y * kRows + r) * kScoreRow<d_head> + x + kSide * c] = weight;
      }
    }
    __syncwarp();  // the rows of p that a warp reads it has written itself
    add_product<d_head>(o, p, v);
  }
  float factor[kRows];
  for (int r = 0; r < kRows; ++r) {
    const int query = first + y * kRows + r;
    const float sum = row_sum(l[r]);
    factor[r] = sum == 0 ? 0 : 1 / sum;
    if (x == 0 && query < a.queries) {
      a.log_sums[head * a.queries + query] = sum == 0 ? -kLowest : m[r] + logf(sum);
    }
  }
  write_rows<d_head>(head_of<d_head>(a.o, head, a.queries), first, a.queries, o, factor);
}

template <class Number, int d_head>
__device__ void attention_tiled_d_q(const Attention<Number>& a) {
  constexpr int kTile = kBackwardRows<d_head>, kRows = kRowsOfThread<kTile>;
  DYNAMIC_SHARED(float, memory);
  float* q = memory;
  float* d_o = q + kTile * (d_head + 1);
  float* k = d_o + kTile * (d_head + 1);
  float* v = k + kOther<d_head> * (d_head + 1);
  float* d_s = v + kOther<d_head> * (d_head + 1);
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int head = static_cast<int>(blockIdx.y), first = static_cast<int>(blockIdx.x) * kTile;
  float d_q[kRows][d_head / kSide] = {}, log_sum[kRows], rows_d[kRows];
  for (int r = 0; r < kRows; ++r) {
    const int row = head * a.queries + min(first + y * kRows + r, a.queries - 1);
    log_sum[r] = a.log_sums[row];
    rows_d[r] = a.row_sums[row];
  }
  load_tile<d_head>(q, head_of<d_head>(a.q, head, a.queries), first, kTile, a.queries);
  load_tile<d_head>(d_o, head_of<d_head>(a.d_o, head, a.queries), first, kTile, a.queries);
  const int end = keys_seen(a, first + kTile);
  for (int j = 0; j < end; j += kOther<d_head>) {
    __syncthreads();
    load_tile<d_head>(k, head_of<d_head>(a.k, head / a.group, a.keys), j, kOther<d_head>, a.keys);
    load_tile<d_head>(v, head_of<d_head>(a.v, head / a.group, a.keys), j, kOther<d_head>, a.keys);
    __syncthreads();
    float s[kRows][kColumns<d_head>], d_p[kRows][kColumns<d_head>];
    multiply_rows<d_head>(s, q, k);
    multiply_rows<d_head>(d_p, d_o, v);
    for (int r = 0; r < kRows; ++r) {
      for (int c = 0; c < kColumns<d_head>; ++c) {
        const bool seen = sees(a, first + y * kRows + r, j + x + kSide * c);
        const float p = seen ? expf(s[r][c] * a.scale - log_sum[r]) : 0;
        d_s[(y * kRows + r) * kScoreRow<d_head> + x + kSide * c] = p * (d_p[r][c] - rows_d[r]);
      }
    }
    __syncwarp();
    add_product<d_head>(d_q, d_s, k);
  }
  float factor[kRows];
  for (int r = 0; r < kRows; ++r) factor[r] = a.scale;
  write_rows<d_head>(head_of<d_head>(a.d_q, head, a.queries), first, a.queries, d_q, factor);
}

template <class Number, int d_head>
__device__ void attention_tiled_d_kv(const Attention<Number>& a) {
  constexpr int kTile = kBackwardRows<d_head>, kRows = kRowsOfThread<kTile>;
  DYNAMIC_SHARED(float, memory);
  float* k = memory;
  float* v = k + kTile * (d_head + 1);
  float* q = v + kTile * (d_head + 1);
  float* d_o = q + kOther<d_head> * (d_head + 1);
  float* p = d_o + kOther<d_head> * (d_head + 1);
  float* d_s = p + kTile * kScoreRow<d_head>;
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const int kv_head = static_cast<int>(blockIdx.y), first = static_cast<int>(blockIdx.x) * kTile;
  float d_k[kRows][d_head / kSide] = {}, d_v[kRows][d_head / kSide] = {};
  load_tile<d_head>(k, head_of<d_head>(a.k, kv_head, a.keys), first, kTile, a.keys);
  load_tile<d_head>(v, head_of<d_head>(a.v, kv_head, a.keys), first, kTile, a.keys);
  for (int head = kv_head * a.group; head < (kv_head + 1) * a.group; ++head) {
    // Queries before the first key of the tile see none of it.
    for (int i = a.causal != 0 ? first / kOther<d_head> * kOther<d_head> : 0; i < a.queries;
         i += kOther<d_head>) {
      __syncthreads();
      load_tile<d_head>(q, head_of<d_head>(a.q, head, a.queries), i, kOther<d_head>, a.queries);
      load_tile<d_head>(d_o, head_of<d_head>(a.d_o, head, a.queries), i, kOther<d_head>, a.queries);
      __syncthreads();
      float s[kRows][kColumns<d_head>],
          d_p[kRows][kColumns<d_head>];  // transposed: a row for each key
      multiply_rows<d_head>(s, k, q);
      multiply_rows<d_head>(d_p, v, d_o);
      for (int c = 0; c < kColumns<d_head>; ++c) {
        const int query = i + x + kSide * c;
        const int row = head * a.queries + min(query, a.queries - 1);
        const float log_sum = a.log_sums[row], row_d = a.row_sums[row];
        for (int r = 0; r < kRows; ++r) {
          const bool seen = query < a.queries && sees(a, query, first + y * kRows + r);
          const float weight = seen ? expf(s[r][c] * a.scale - log_sum) : 0;
          const int place = (y * kRows + r) * kScoreRow<d_head> + x + kSide * c;
          p[place] = weight;
          d_s[place] = weight * (d_p[r][c] - row_d);
        }
      }
      __syncwarp();
      add_product<d_head>(d_v, p, d_o);
      add_product<d_head>(d_k, d_s, q);
    }
  }
  float scale[kRows], one[kRows];
  for (int r = 0; r < kRows; ++r) {
    scale[r] = a.scale;
    one[r] = 1;
  }
  write_rows<d_head>(head_of<d_head>(a.d_k, kv_head, a.keys), first, a.keys, d_k, scale);
  write_rows<d_head>(head_of<d_head>(a.d_v, kv_head, a.keys), first, a.keys, d_v, one);
}

}  // namespace ts::kernels::own_cuda

#define TENSORSCOPE_TILED(Number, type)                                          \
  TENSORSCOPE_ATTENTION_KERNELS(attention_tiled_forward, Number, type, 256, 256) \
  TENSORSCOPE_ATTENTION_KERNELS(attention_tiled_d_q, Number, type, 256, 128)     \
  TENSORSCOPE_ATTENTION_KERNELS(attention_tiled_d_kv, Number, type, 256, 128)
TENSORSCOPE_TILED(float, fp32)
TENSORSCOPE_TILED(ts::kernels::own_cuda::Bf16, bf16)
TENSORSCOPE_TILED(ts::kernels::own_cuda::Fp16, fp16)
