// Attention, the warpgroup stage: the forward of FlashAttention-3 (Shah et al. 2024, arXiv
// 2407.08608, algorithms 1 and 2) with products of four warps (wgmma) on tiles that the tensor
// memory accelerator brings (TMA). For sm_90a. Its backward: attention_warpgroup_backward.cu.
//
//   a block a tile i of queries; K and V have two places each, j % 2
//   one thread, the producer:            two or three warpgroups, the consumers, 64 queries each:
//     bring Q_i                            O = 0, l = 0, m = -inf
//     for each tile j of keys              S = Q_i K_0^T; P = softmax of S
//       wait until K's place is empty      for each further tile j of keys
//       bring K_j                            wait for K_j and for this warpgroup's turn
//       wait until V's place is empty        begin S = Q_i K_j^T; begin O += P V_j-1
//       bring V_j                            the next warpgroup's turn
//                                            wait for S; m' = max(m, rowmax S)
//                                            P' = exp(scale (S - m'))
//                                            l = exp(scale (m - m')) l + rowsum P'
//                                            wait for O; O = exp(scale (m - m')) O; P = P', m = m'
//                                          O += P V of the last; O = O / l, L = scale m + log l
//
// Exponentials of a tile are made while the products of P with the tile before go on, and those of
// the other warpgroups: the turns keep their products from coming at the same time (sections 3.1
// and 3.2 of the paper). A barrier "full" counts bytes, a barrier "empty" the warps that have read.
// P goes from one product to the next in registers, which have the same order as those of mma.sync
// (PTX ISA, "Register fragments for wgmma"). Rows past the end come as zeros, and are masked.
#include "kernels/own_cuda/attention_warpgroup.h"

#include "kernels/own_cuda/softmax_rows.h"
#include "kernels/own_cuda/warpgroup_block.h"

namespace ts::kernels::own_cuda {

template <int d_head>
constexpr int kConsumers = report::warpgroup_consumers(d_head);
template <int d_head>
constexpr int kBlockRows = report::stage_sizes::warpgroup_rows(d_head);
template <int d_head>
constexpr int kTileKeys = report::warpgroup_keys(d_head);

// The shared memory of a block.
template <class Number, int d_head>
struct WarpgroupTiles {
  static constexpr int kTile = kTileKeys<d_head> * d_head;  // numbers
  Number* q;
  Number *k, *v;  // [kPlaces][kTile]
  Barrier *q_full, *k_full, *v_full, *k_empty, *v_empty;
  Barrier* turns;  // [consumers]

  __device__ explicit WarpgroupTiles(Number* memory)
      : q(memory), k(q + kBlockRows<d_head> * d_head), v(k + kPlaces * kTile) {
    q_full = reinterpret_cast<Barrier*>(v + kPlaces * kTile);
    k_full = q_full + 1;
    v_full = k_full + kPlaces;
    k_empty = v_full + kPlaces;
    v_empty = k_empty + kPlaces;
    turns = v_empty + kPlaces;
  }
  __device__ void make_barriers() const {
    make_barrier(q_full, 1);
    for (int place = 0; place < kPlaces; ++place) {
      make_barrier(k_full + place, 1);
      make_barrier(v_full + place, 1);
      make_barrier(k_empty + place, kConsumers<d_head> * kGroupWarps);
      make_barrier(v_empty + place, kConsumers<d_head> * kGroupWarps);
    }
    for (int group = 0; group < kConsumers<d_head>; ++group)
      make_barrier(turns + group, kGroupWarps);
    publish_barriers();
  }
};

template <class Number, int d_head>
__device__ void produce(const AttentionByTma<Number>& t,
                        const WarpgroupTiles<Number, d_head>& tiles, int first, int head, int end) {
  constexpr int kKeys = kTileKeys<d_head>, kTile = kKeys * d_head;
  const int kv_head = head / t.a.group;
  bring<d_head>(tiles.q, t.q, first, kBlockRows<d_head>, head, tiles.q_full);
  for (int j = 0, step = 0; j < end; j += kKeys, ++step) {
    const int place = step % kPlaces, turn = step / kPlaces % 2;
    wait(tiles.k_empty + place, turn ^ 1);  // the phase before the first is over
    bring<d_head>(tiles.k + place * kTile, t.k, j, kKeys, kv_head, tiles.k_full + place);
    wait(tiles.v_empty + place, turn ^ 1);
    bring<d_head>(tiles.v + place * kTile, t.v, j, kKeys, kv_head, tiles.v_full + place);
  }
}

// A consumer has in registers: the state of its rows, scores of a tile that become weights, and
// weights as the factor of the next product.
template <class Number, int d_head>
struct Consumer {
  static constexpr int kKeys = kTileKeys<d_head>, kTile = kKeys * d_head;

  const AttentionByTma<Number>& t;
  const WarpgroupTiles<Number, d_head>& tiles;
  int group;      // of the consumers
  int first_row;  // of this warp's queries
  SoftmaxRows<d_head, 1> rows;
  Sums<1, kKeys / 8> s;
  std::uint32_t p[kKeys / 16][4];

  __device__ Consumer(const AttentionByTma<Number>& problem,
                      const WarpgroupTiles<Number, d_head>& in, int consumer, int first)
      : t(problem), tiles(in), group(consumer), first_row(first) {}

  // S = rows of Q times rows of the K of a step.
  __device__ void begin_scores(int step) {
    begin_product<Number, d_head, kKeys>(s[0], tiles.q + group * kGroupRows * kChunkColumns,
                                         kBlockRows<d_head>, tiles.k + step % kPlaces * kTile);
  }
  // O += P times the V of a step.
  __device__ void begin_output(int step) {
    begin_sum<Number, d_head, kKeys>(rows.o[0], p, tiles.v + step % kPlaces * kTile);
  }
  // The scores of a step are there: K's place is free, S becomes weights.
  __device__ void soften(int step) {
    hold(s[0]);
    if (lane_of_warp() == 0) arrive(tiles.k_empty + step % kPlaces);
    const int j = step * kKeys;
    if (j + kKeys > t.a.keys || (t.a.causal != 0 && j + kKeys > first_row))
      mask_scores(t.a, s, first_row, j);
    rows.soften(s, t.a.scale * kLog2E);
    hold(s[0]);  // the weights are made now, not after the next wait
  }
  // O has the V of a step: its place is free.
  __device__ void end_output(int step) {
    hold(rows.o[0]);
    hold(p);
    if (lane_of_warp() == 0) arrive(tiles.v_empty + step % kPlaces);
  }
  __device__ void wait_for_k(int step) const {
    wait(tiles.k_full + step % kPlaces, step / kPlaces % 2);
  }
  __device__ void wait_for_v(int step) const {
    wait(tiles.v_full + step % kPlaces, step / kPlaces % 2);
  }
  // The turns go round: the first consumer's comes before any other has begun.
  __device__ void wait_for_turn(int step) const {
    wait(tiles.turns + group, group == 0 ? step % 2 : (step + 1) % 2);
  }
  __device__ void end_turn() const {
    if (lane_of_warp() == 0) arrive(tiles.turns + (group + 1) % kConsumers<d_head>);
  }
};

template <class Number, int d_head>
__device__ void consume(const AttentionByTma<Number>& t,
                        const WarpgroupTiles<Number, d_head>& tiles, int first, int head, int end,
                        int group) {
  const int row = group * kGroupRows + first_row_in_group();
  const int last = (end - 1) / kTileKeys<d_head>;
  Consumer<Number, d_head> c(t, tiles, group, first + row);
  wait(tiles.q_full, 0);
  c.wait_for_k(0);
  begin_products();
  c.begin_scores(0);
  wait_for_products<0>();
  c.soften(0);
  pack<Number>(c.p, c.s[0]);
  for (int step = 1; step <= last; ++step) {
    c.wait_for_k(step);
    c.wait_for_v(step - 1);
    c.wait_for_turn(step);
    begin_products();
    c.begin_scores(step);
    c.begin_output(step - 1);
    c.end_turn();
    wait_for_products<1>();
    c.soften(step);
    // Needed soon; and it keeps the compiler from waiting for O before it has made the weights.
    if (step < last) c.wait_for_k(step + 1);
    wait_for_products<0>();
    c.end_output(step - 1);
    c.rows.shrink_output();
    pack<Number>(c.p, c.s[0]);
  }
  c.wait_for_v(last);
  begin_products();
  c.begin_output(last);
  wait_for_products<0>();
  hold(c.rows.o[0]);
  c.rows.write(t.a, head, first + row);
}

template <class Number, int d_head>
__device__ void attention_warpgroup_forward(const AttentionByTma<Number>& t) {
  DYNAMIC_SHARED(Number, memory);
  const WarpgroupTiles<Number, d_head> tiles(memory);
  const int head = static_cast<int>(blockIdx.y);
  const int first = tile_of_block(t.a) * kBlockRows<d_head>;
  const int end = keys_seen(t.a, first + kBlockRows<d_head>);
  if (threadIdx.x == 0) tiles.make_barriers();
  __syncthreads();
  divide_block<kConsumers<d_head>>([&] { produce(t, tiles, first, head, end); },
                                   [&](int group) { consume(t, tiles, first, head, end, group); });
}

}  // namespace ts::kernels::own_cuda

#define TENSORSCOPE_WARPGROUP(Number, type, d_head)                          \
  TENSORSCOPE_KERNEL(attention_warpgroup_forward_##type##_##d_head,          \
                     ts::kernels::own_cuda::AttentionByTma<Number>,          \
                     (ts::report::stage_sizes::warpgroup_threads(d_head).x), \
                     ts::kernels::own_cuda::attention_warpgroup_forward<Number, d_head>)
#define TENSORSCOPE_WARPGROUPS(Number, type) \
  TENSORSCOPE_WARPGROUP(Number, type, 64)    \
  TENSORSCOPE_WARPGROUP(Number, type, 128)   \
  TENSORSCOPE_WARPGROUP(Number, type, 256)
TENSORSCOPE_WARPGROUPS(ts::kernels::own_cuda::Bf16, bf16)
TENSORSCOPE_WARPGROUPS(ts::kernels::own_cuda::Fp16, fp16)
