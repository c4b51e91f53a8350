#pragma once

#include <cstdint>

#include "core/report/attention_stages.h"
#include "kernels/own_cuda/device.h"

// Shared by all stages of attention. Tensors are dense: q, o, d_o, d_q [heads][queries][d_head],
// k, v, d_k, d_v [heads / group][keys][d_head], log_sums and row_sums [heads][queries] in fp32.
namespace ts::kernels::own_cuda {

template <class Number>
struct Attention {
  const Number *q, *k, *v;
  Number* o;
  float* log_sums;    // L: the logarithm of each query's sum of exponentials, for the backward
  const Number* d_o;  // from here on for the backward only
  float* row_sums;    // D = rowsum(dO o O)
  Number *d_q, *d_k, *d_v;
  int queries, keys;
  int group;   // heads of queries that share keys and values
  int causal;  // query i sees the keys 0 to i
  float scale;
};

// The matrix [rows][d_head] of a head.
template <int d_head, class Number>
__device__ Number* head_of(Number* tensor, int head, int rows) {
  return tensor + std::int64_t{head} * rows * d_head;
}

// Keys that any of the queries before `last` sees.
template <class Number>
__device__ int keys_seen(const Attention<Number>& a, int last) {
  return a.causal != 0 ? min(a.keys, last) : a.keys;
}

// The place of a block's tile of queries. With a mask the last tiles see most keys: they begin
// first, so that no long one is left at the end.
template <class Number>
__device__ int tile_of_block(const Attention<Number>& a) {
  return static_cast<int>(a.causal != 0 ? gridDim.x - 1 - blockIdx.x : blockIdx.x);
}

template <class Number>
__device__ bool sees(const Attention<Number>& a, int query, int key) {
  return key < a.keys && (a.causal == 0 || key <= query);
}

// The tiles of `rows` queries that a block of keys needs, of all heads that share them.
template <int rows>
struct QueryTiles {
  int first_head, begin, of_head, all;

  template <class Number>
  __device__ QueryTiles(const Attention<Number>& a, int kv_head, int first_key)
      : first_head(kv_head * a.group),
        // Queries before the first key see none.
        begin(a.causal != 0 ? min(first_key, a.queries) : 0),
        of_head((a.queries - begin + rows - 1) / rows),
        all(a.group * of_head) {}
  __device__ int head(int step) const { return first_head + step / of_head; }
  __device__ int query(int step) const { return begin + step % of_head * rows; }
};

template <class Number>
__device__ void write(Number* to, const float* from, int count, float factor) {
  for (int c = 0; c < count; ++c) narrow(from[c] * factor, to[c]);
}

}  // namespace ts::kernels::own_cuda

// Kernels for each width of a head: NAME_TYPE_WIDTH.
#define TENSORSCOPE_ATTENTION_KERNEL(name, Number, type, d_head, threads)                         \
  TENSORSCOPE_KERNEL(name##_##type##_##d_head, ts::kernels::own_cuda::Attention<Number>, threads, \
                     ts::kernels::own_cuda::name<Number, d_head>)
// threads: of a block at most; of_widest: for the widest head.
#define TENSORSCOPE_ATTENTION_KERNELS(name, Number, type, threads, of_widest) \
  TENSORSCOPE_ATTENTION_KERNEL(name, Number, type, 32, threads)               \
  TENSORSCOPE_ATTENTION_KERNEL(name, Number, type, 64, threads)               \
  TENSORSCOPE_ATTENTION_KERNEL(name, Number, type, 128, threads)              \
  TENSORSCOPE_ATTENTION_KERNEL(name, Number, type, 256, of_widest)
