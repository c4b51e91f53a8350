// Attention, the warpgroup stage: the forward of FlashAttention-3 (Shah et al. 2024, arXiv
// 2407.08608, algorithm 1) with products of four warps (wgmma) on tiles that the tensor memory
// accelerator brings (TMA). For sm_90a; the backward is that of the tensor-core stage.
//
//   a block a tile i of 128 queries; K and V have two places each, j % 2
//   one thread, the producer:                  two warpgroups, the consumers, 64 queries each:
//     bring Q_i                                  O = 0, l = 0, m = -inf; wait for Q_i
//     for each tile j of keys                    for each tile j of keys
//       wait until K's place is empty              wait for K_j; S = Q_i K_j^T; K's place is empty
//       bring K_j                                  m' = max(m, rowmax S), P = exp(scale (S - m'))
//       wait until V's place is empty              l = exp(scale (m - m')) l + rowsum P
//       bring V_j                                  O = exp(scale (m - m')) O
//                                                  wait for V_j; O += P V_j; V's place is empty
//                                                O = O / l, L = scale m + log l
//
// While one warpgroup makes exponentials the other one's products fill the tensor cores. A barrier
// "full" counts bytes, a barrier "empty" the warps that have read. P goes from one product to the
// next in registers, which have the same order as those of mma.sync (PTX ISA, "Register fragments
// for wgmma"). Rows past the end come as zeros, and are masked.
#include "kernels/own_cuda/attention_warpgroup.h"

#include "kernels/own_cuda/softmax_rows.h"
#include "kernels/own_cuda/warpgroup.h"

namespace ts::kernels::own_cuda {

constexpr int kBlockRows = report::kWarpgroupRows;
constexpr int kGroupRows = 64;
constexpr int kGroupThreads = 128;
constexpr int kPlaces = report::kWarpgroupPlaces;
constexpr int kReaders = 8;  // warps of the consumers
template <int d_head>
constexpr int kTileKeys = report::warpgroup_keys(d_head);

// The shared memory of a block.
template <class Number, int d_head>
struct WarpgroupTiles {
  static constexpr int kTile = kTileKeys<d_head> * d_head;  // numbers
  Number* q;
  Number *k, *v;  // [kPlaces][kTile]
  Barrier *q_full, *k_full, *v_full, *k_empty, *v_empty;

  __device__ explicit WarpgroupTiles(Number* memory)
      : q(memory), k(q + kBlockRows * d_head), v(k + kPlaces * kTile) {
    q_full = reinterpret_cast<Barrier*>(v + kPlaces * kTile);
    k_full = q_full + 1;
    v_full = k_full + kPlaces;
    k_empty = v_full + kPlaces;
    v_empty = k_empty + kPlaces;
  }
  __device__ void make_barriers() const {
    make_barrier(q_full, 1);
    for (int place = 0; place < kPlaces; ++place) {
      make_barrier(k_full + place, 1);
      make_barrier(v_full + place, 1);
      make_barrier(k_empty + place, kReaders);
      make_barrier(v_empty + place, kReaders);
    }
    publish_barriers();
  }
};

// Brings `rows` rows of a head, from `first` on, in chunks of 64 columns.
template <int d_head, class Number>
__device__ void bring(Number* to, const TensorMap& map, int first, int rows, int head,
                      Barrier* full) {
  arrive_and_expect(full, rows * d_head * static_cast<int>(sizeof(Number)));
  for (int column = 0; column < d_head; column += kChunkColumns)
    copy_box(to + column * rows, map, column, first, head, full);
}

template <class Number, int d_head>
__device__ void produce(const AttentionByTma<Number>& t,
                        const WarpgroupTiles<Number, d_head>& tiles, int first, int head, int end) {
  constexpr int kKeys = kTileKeys<d_head>, kTile = kKeys * d_head;
  const int kv_head = head / t.a.group;
  bring<d_head>(tiles.q, t.q, first, kBlockRows, head, tiles.q_full);
  for (int j = 0, step = 0; j < end; j += kKeys, ++step) {
    const int place = step % kPlaces, turn = step / kPlaces % 2;
    wait(tiles.k_empty + place, turn ^ 1);  // the phase before the first is over
    bring<d_head>(tiles.k + place * kTile, t.k, j, kKeys, kv_head, tiles.k_full + place);
    wait(tiles.v_empty + place, turn ^ 1);
    bring<d_head>(tiles.v + place * kTile, t.v, j, kKeys, kv_head, tiles.v_full + place);
  }
}

// S [64][keys] = rows of Q times rows of K.
template <class Number, int d_head>
__device__ void make_scores(float (&s)[kTileKeys<d_head> / 8][4], const Number* q_rows,
                            const Number* k) {
  constexpr int kKeys = kTileKeys<d_head>;
  const std::uint32_t left = shared_address(q_rows), right = shared_address(k);
  begin_products();
#pragma unroll
  for (int step = 0; step < d_head / 16; ++step) {
    multiply_factors<Number, kKeys>(s, factor_by_columns(left, kBlockRows, step),
                                    factor_by_columns(right, kKeys, step), step > 0);
  }
  wait_for_products();
}

// O [64][d_head] += P times V, 128 columns at a time at most.
template <class Number, int d_head>
__device__ void add_values(float (&o)[d_head / 8][4], const float (&p)[kTileKeys<d_head> / 8][4],
                           const Number* v) {
  constexpr int kKeys = kTileKeys<d_head>, kColumns = d_head < 128 ? d_head : 128;
  const std::uint32_t right = shared_address(v);
  std::uint32_t left[kKeys / 16][4];
#pragma unroll
  for (int step = 0; step < kKeys / 16; ++step) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float(&pair)[4] = p[2 * step + i / 2];
      left[step][i] = pair_of<Number>(pair[i % 2 * 2], pair[i % 2 * 2 + 1]);
    }
  }
  begin_products();
#pragma unroll
  for (int step = 0; step < kKeys / 16; ++step) {
#pragma unroll
    for (int column = 0; column < d_head; column += kColumns) {
      add_registers_times<Number, kColumns>(
          o + column / 8, left[step], factor_by_rows(right, kKeys, step, column / kChunkColumns));
    }
  }
  wait_for_products();
}

template <class Number, int d_head>
__device__ void consume(const AttentionByTma<Number>& t,
                        const WarpgroupTiles<Number, d_head>& tiles, int first, int head, int end,
                        int group) {
  constexpr int kKeys = kTileKeys<d_head>, kTile = kKeys * d_head, kBlocks = kKeys / 8;
  const Attention<Number>& a = t.a;
  const int group_row = group * kGroupRows;
  const int row = first + group_row + static_cast<int>(threadIdx.x) % kGroupThreads / 32 * 16;
  const bool first_lane = lane_of_warp() == 0;
  SoftmaxRows<d_head> rows;
  wait(tiles.q_full, 0);
  for (int j = 0, step = 0; j < end; j += kKeys, ++step) {
    const int place = step % kPlaces, turn = step / kPlaces % 2;
    float s[kBlocks][4];
    wait(tiles.k_full + place, turn);
    make_scores<Number, d_head>(s, tiles.q + group_row * kChunkColumns, tiles.k + place * kTile);
    if (first_lane) arrive(tiles.k_empty + place);
    if (j + kKeys > a.keys || (a.causal != 0 && j + kKeys > first)) {
#pragma unroll
      for (int i = 0; i < kBlocks; ++i) {
#pragma unroll
        for (int c = 0; c < 4; ++c) {
          if (!sees(a, row + row_of_sum(c), j + column_of_sum(i, c))) s[i][c] = kLowest;
        }
      }
    }
    float largest[2] = {rows.m[0], rows.m[1]};
#pragma unroll
    for (int i = 0; i < kBlocks; ++i) {
#pragma unroll
      for (int c = 0; c < 4; ++c) largest[c / 2] = fmaxf(largest[c / 2], s[i][c]);
    }
    rows.soften(s, largest, a.scale * kLog2E);
    wait(tiles.v_full + place, turn);
    add_values<Number, d_head>(rows.o, s, tiles.v + place * kTile);
    if (first_lane) arrive(tiles.v_empty + place);
  }
  float factor[2];
  for (int half = 0; half < 2; ++half) {
    const int query = row + row_of_sum(half * 2);
    const float sum = row_sum(rows.l[half]);
    if (lane_of_warp() % 4 == 0 && query < a.queries) {
      a.log_sums[head * a.queries + query] =
          sum == 0 ? -kLowest : a.scale * rows.m[half] + logf(sum);
    }
    factor[half] = sum == 0 ? 0 : 1 / sum;
  }
  write_rows<Number, d_head>(head_of<d_head>(a.o, head, a.queries), row, a.queries, rows.o,
                             factor[0], factor[1]);
}

template <class Number, int d_head>
__device__ void attention_warpgroup_forward(const AttentionByTma<Number>& t) {
  DYNAMIC_SHARED(Number, memory);
  const WarpgroupTiles<Number, d_head> tiles(memory);
  const int head = static_cast<int>(blockIdx.y), first = static_cast<int>(blockIdx.x) * kBlockRows;
  const int end = keys_seen(t.a, first + kBlockRows);
  if (threadIdx.x == 0) tiles.make_barriers();
  __syncthreads();
  const int group = static_cast<int>(threadIdx.x) / kGroupThreads;
  if (group == 0) {
    give_registers<24>();
    if (threadIdx.x == 0) produce(t, tiles, first, head, end);
  } else {
    take_registers<240>();
    consume(t, tiles, first, head, end, group - 1);
  }
}

}  // namespace ts::kernels::own_cuda

#define TENSORSCOPE_WARPGROUP(Number, type, d_head)                      \
  TENSORSCOPE_KERNEL(attention_warpgroup_forward_##type##_##d_head,      \
                     ts::kernels::own_cuda::AttentionByTma<Number>, 384, \
                     ts::kernels::own_cuda::attention_warpgroup_forward<Number, d_head>)
#define TENSORSCOPE_WARPGROUPS(Number, type) \
  TENSORSCOPE_WARPGROUP(Number, type, 64)    \
  TENSORSCOPE_WARPGROUP(Number, type, 128)   \
  TENSORSCOPE_WARPGROUP(Number, type, 256)
TENSORSCOPE_WARPGROUPS(ts::kernels::own_cuda::Bf16, bf16)
TENSORSCOPE_WARPGROUPS(ts::kernels::own_cuda::Fp16, fp16)
