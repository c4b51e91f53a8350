// The backward of the warpgroup stage: algorithm 2 of FlashAttention-2 (Dao 2023, arXiv 2307.08691)
// with products of four warps (wgmma) on tiles that the tensor memory accelerator brings. For
// sm_90a and heads of 64 and 128.
//
//   no sum is shared by two blocks:
//   a block a tile i of queries (dQ):           a block a tile j of keys (dK, dV), transposed:
//     for each tile j of keys                     for each tile i of queries
//       begin S = Q_i K_j^T, dP = dO_i V_j^T        begin S = K_j Q_i^T, dP = V_j dO_i^T
//       wait for S; P = exp(scale S - L_i)          wait for S; P = exp(scale S - L_i)
//       wait for dP; dS = P o (dP - D_i)            begin dV_j += P dO_i
//       dQ_i += scale dS K_j                        wait for dP; dS = P o (dP - D_i)
//                                                   dK_j += scale dS Q_i
//
// One thread brings the tiles of the other side to two places, as in the forward; two warpgroups
// have 64 rows each. P and dS go from one product to the next in registers. While exponentials are
// made the next product goes on, and those of the other warpgroup.
#include "kernels/own_cuda/attention_warpgroup.h"
#include "kernels/own_cuda/softmax_rows.h"
#include "kernels/own_cuda/warpgroup_block.h"

namespace ts::kernels::own_cuda {

constexpr int kBackwardConsumers = report::kWarpgroupBackwardConsumers;
constexpr int kFixedRows = kBackwardConsumers * kGroupRows;
constexpr int kComingRows = report::kWarpgroupBackwardOther;

// The shared memory of a block: a tile of each of two tensors that stays, and places for tiles of
// two others.
template <class Number, int d_head>
struct FixedAndComing {
  static constexpr int kFixed = kFixedRows * d_head, kComing = kComingRows * d_head;  // numbers
  Number* fixed;                                                                      // [2][kFixed]
  Number* coming;  // [kPlaces][2][kComing]
  Barrier *fixed_full, *full, *empty;

  __device__ explicit FixedAndComing(Number* memory) : fixed(memory), coming(fixed + 2 * kFixed) {
    fixed_full = reinterpret_cast<Barrier*>(coming + kPlaces * 2 * kComing);
    full = fixed_full + 1;
    empty = full + kPlaces;
  }
  // By one thread of the block; all have to wait for it.
  __device__ void make_barriers() const {
    make_barrier(fixed_full, 2);
    for (int place = 0; place < kPlaces; ++place) {
      make_barrier(full + place, 2);
      make_barrier(empty + place, kBackwardConsumers * kGroupWarps);
    }
    publish_barriers();
  }

  __device__ void bring_fixed(const TensorMap& a, const TensorMap& b, int first, int head) const {
    bring<d_head>(fixed, a, first, kFixedRows, head, fixed_full);
    bring<d_head>(fixed + kFixed, b, first, kFixedRows, head, fixed_full);
  }
  __device__ void bring_tiles(int step, const TensorMap& a, const TensorMap& b, int first,
                              int head) const {
    const int place = step % kPlaces;
    wait(empty + place, step / kPlaces % 2 ^ 1);  // the phase before the first is over
    bring<d_head>(coming + place * 2 * kComing, a, first, kComingRows, head, full + place);
    bring<d_head>(coming + (place * 2 + 1) * kComing, b, first, kComingRows, head, full + place);
  }

  // The rows of a warpgroup in the tile that stays.
  __device__ const Number* fixed_rows(int which, int group) const {
    return fixed + which * kFixed + group * kGroupRows * kChunkColumns;
  }
  __device__ const Number* tile(int step, int which) const {
    return coming + (step % kPlaces * 2 + which) * kComing;
  }
  __device__ void wait_for_tiles(int step) const {
    wait(full + step % kPlaces, step / kPlaces % 2);
  }
  __device__ void release(int step) const {
    if (lane_of_warp() == 0) arrive(empty + step % kPlaces);
  }
};

// Both products of a step with the tiles that stay; S is done when one group is left.
template <class Number, int d_head>
__device__ void begin_both(Sums<1, kComingRows / 8>& s, Sums<1, kComingRows / 8>& d_p,
                           const FixedAndComing<Number, d_head>& tiles, int group, int step) {
  begin_products();
  begin_product<Number, d_head, kComingRows>(s[0], tiles.fixed_rows(0, group), kFixedRows,
                                             tiles.tile(step, 0));
  begin_product<Number, d_head, kComingRows>(d_p[0], tiles.fixed_rows(1, group), kFixedRows,
                                             tiles.tile(step, 1));
  wait_for_products<1>();
  hold(s[0]);
}

template <class Number, int d_head>
__device__ void d_q_of_group(const Attention<Number>& a,
                             const FixedAndComing<Number, d_head>& tiles, int head, int first,
                             int end, int group) {
  const int row = first + group * kGroupRows + first_row_in_group();
  const int last = (end - 1) / kComingRows;
  const float scale = a.scale * kLog2E;
  Sums<1, d_head / 8> d_q = {};
  float log_sum[2], row_d[2];
  for (int half = 0; half < 2; ++half) {
    const int query = min(row + row_of_sum(0, half * 2), a.queries - 1);
    log_sum[half] = a.log_sums[head * a.queries + query] * kLog2E;
    row_d[half] = a.row_sums[head * a.queries + query];
  }
  wait(tiles.fixed_full, 0);
  tiles.wait_for_tiles(0);
  for (int step = 0; step <= last; ++step) {
    const int j = step * kComingRows;
    Sums<1, kComingRows / 8> s, d_p;
    begin_both(s, d_p, tiles, group, step);
    if (j + kComingRows > a.keys || (a.causal != 0 && j + kComingRows > row))
      mask_scores(a, s, row, j);
#pragma unroll
    for (int i = 0; i < kComingRows / 8; ++i) {
#pragma unroll
      for (int c = 0; c < 4; ++c) s[0][i][c] = power_of_two(scale * s[0][i][c] - log_sum[c / 2]);
    }
    hold(s[0]);
    // Needed soon; and it keeps the compiler from waiting for dP before it has made the weights.
    if (step < last) tiles.wait_for_tiles(step + 1);
    wait_for_products<0>();
    hold(d_p[0]);
#pragma unroll
    for (int i = 0; i < kComingRows / 8; ++i) {
#pragma unroll
      for (int c = 0; c < 4; ++c) s[0][i][c] *= d_p[0][i][c] - row_d[c / 2];
    }
    std::uint32_t d_s[kComingRows / 16][4];
    pack<Number>(d_s, s[0]);
    begin_products();
    begin_sum<Number, d_head, kComingRows>(d_q[0], d_s, tiles.tile(step, 0));
    wait_for_products<0>();
    hold(d_q[0]);
    hold(d_s);
    tiles.release(step);
  }
  write_rows<Number, d_head>(head_of<d_head>(a.d_q, head, a.queries), row, a.queries, d_q[0],
                             a.scale, a.scale);
}

template <class Number, int d_head>
__device__ void attention_warpgroup_d_q(const AttentionByTma<Number>& t) {
  DYNAMIC_SHARED(Number, memory);
  const FixedAndComing<Number, d_head> tiles(memory);
  const int head = static_cast<int>(blockIdx.y), first = tile_of_block(t.a) * kFixedRows;
  const int end = keys_seen(t.a, first + kFixedRows);
  if (threadIdx.x == 0) tiles.make_barriers();
  __syncthreads();
  divide_block<kBackwardConsumers>(
      [&] {
        tiles.bring_fixed(t.q, t.d_o, first, head);
        for (int j = 0, step = 0; j < end; j += kComingRows, ++step)
          tiles.bring_tiles(step, t.k, t.v, j, head / t.a.group);
      },
      [&](int group) { d_q_of_group(t.a, tiles, head, first, end, group); });
}

template <class Number, int d_head>
__device__ void d_kv_of_group(const Attention<Number>& a,
                              const FixedAndComing<Number, d_head>& tiles,
                              const QueryTiles<kComingRows>& queries, int kv_head, int first,
                              int group) {
  const int row = first + group * kGroupRows + first_row_in_group();
  const float scale = a.scale * kLog2E;
  Sums<1, d_head / 8> d_k = {}, d_v = {};
  wait(tiles.fixed_full, 0);
  for (int step = 0; step < queries.all; ++step) {
    const int head = queries.head(step), first_query = queries.query(step);
    Sums<1, kComingRows / 8> p, d_s;  // transposed: a row for each key
    tiles.wait_for_tiles(step);
    begin_both(p, d_s, tiles, group, step);
    if (first_query + kComingRows > a.queries || (a.causal != 0 && first_query < row + 16))
      mask_transposed(a, p, row, first_query);
    float row_d[kComingRows / 8][2];
#pragma unroll
    for (int i = 0; i < kComingRows / 8; ++i) {
#pragma unroll
      for (int column = 0; column < 2; ++column) {
        const int query = min(first_query + column_of_sum(i, column), a.queries - 1);
        const float log_sum = a.log_sums[head * a.queries + query] * kLog2E;
        row_d[i][column] = a.row_sums[head * a.queries + query];
#pragma unroll
        for (int c = column; c < 4; c += 2) p[0][i][c] = power_of_two(scale * p[0][i][c] - log_sum);
      }
    }
    std::uint32_t of_p[kComingRows / 16][4], of_d_s[kComingRows / 16][4];
    pack<Number>(of_p, p[0]);
    begin_products();
    begin_sum<Number, d_head, kComingRows>(d_v[0], of_p, tiles.tile(step, 1));
    wait_for_products<1>();
    hold(d_s[0]);
#pragma unroll
    for (int i = 0; i < kComingRows / 8; ++i) {
#pragma unroll
      for (int c = 0; c < 4; ++c) d_s[0][i][c] = p[0][i][c] * (d_s[0][i][c] - row_d[i][c % 2]);
    }
    pack<Number>(of_d_s, d_s[0]);
    begin_products();
    begin_sum<Number, d_head, kComingRows>(d_k[0], of_d_s, tiles.tile(step, 0));
    wait_for_products<0>();
    hold(d_v[0]);
    hold(d_k[0]);
    hold(of_p);
    hold(of_d_s);
    tiles.release(step);
  }
  write_rows<Number, d_head>(head_of<d_head>(a.d_k, kv_head, a.keys), row, a.keys, d_k[0], a.scale,
                             a.scale);
  write_rows<Number, d_head>(head_of<d_head>(a.d_v, kv_head, a.keys), row, a.keys, d_v[0], 1, 1);
}

template <class Number, int d_head>
__device__ void attention_warpgroup_d_kv(const AttentionByTma<Number>& t) {
  DYNAMIC_SHARED(Number, memory);
  const FixedAndComing<Number, d_head> tiles(memory);
  const int kv_head = static_cast<int>(blockIdx.y);
  const int first = static_cast<int>(blockIdx.x) * kFixedRows;
  const QueryTiles<kComingRows> queries(t.a, kv_head, first);
  if (threadIdx.x == 0) tiles.make_barriers();
  __syncthreads();
  divide_block<kBackwardConsumers>(
      [&] {
        tiles.bring_fixed(t.k, t.v, first, kv_head);
        for (int step = 0; step < queries.all; ++step)
          tiles.bring_tiles(step, t.q, t.d_o, queries.query(step), queries.head(step));
      },
      [&](int group) { d_kv_of_group(t.a, tiles, queries, kv_head, first, group); });
}

}  // namespace ts::kernels::own_cuda

#define TENSORSCOPE_WARPGROUP_BACKWARD(name, Number, type, d_head)                            \
  TENSORSCOPE_KERNEL(name##_##type##_##d_head, ts::kernels::own_cuda::AttentionByTma<Number>, \
                     (ts::report::stage_sizes::warpgroup_backward_threads(0).x),              \
                     ts::kernels::own_cuda::name<Number, d_head>)
#define TENSORSCOPE_WARPGROUP_BACKWARDS(Number, type)                        \
  TENSORSCOPE_WARPGROUP_BACKWARD(attention_warpgroup_d_q, Number, type, 64)  \
  TENSORSCOPE_WARPGROUP_BACKWARD(attention_warpgroup_d_q, Number, type, 128) \
  TENSORSCOPE_WARPGROUP_BACKWARD(attention_warpgroup_d_kv, Number, type, 64) \
  TENSORSCOPE_WARPGROUP_BACKWARD(attention_warpgroup_d_kv, Number, type, 128)
TENSORSCOPE_WARPGROUP_BACKWARDS(ts::kernels::own_cuda::Bf16, bf16)
TENSORSCOPE_WARPGROUP_BACKWARDS(ts::kernels::own_cuda::Fp16, fp16)
