#pragma once

#include "kernels/own/instructions.h"

// Attention by hand for the CPU: FlashAttention-2 on plain memory, without LibTorch. A call
// computes a part of one head on the calling thread; the caller divides the work among threads.
// Reading order: kernels/attention/naive.cpp (the formula), attention_portable.cpp (in tiles),
// attention_vector.cpp (in vectors), attention_bf16.cpp (by pairs of bf16).
namespace ts::kernels::own {

// A matrix [rows][d_head]. The numbers of a row are adjacent.
struct Matrix {
  void* data = nullptr;
  std::int64_t row = 0;  // distance between two rows, in numbers
};

// One head of queries with its head of keys and values. The forward reads q, k, v and writes o and
// log_sums; the backward reads these and d_o, and writes d_q, d_k, d_v.
struct Head {
  Element element = Element::fp32;
  bool causal = false;  // query i sees the keys 0 to i
  std::int64_t queries = 0;
  std::int64_t keys = 0;
  std::int64_t d_head = 0;
  double scale = 1;  // of the scores, above 0
  // Rows of a tile, at least 1.
  std::int64_t tile_queries = 64, tile_keys = 64;
  Matrix q = {}, k = {}, v = {}, o = {}, d_o = {}, d_q = {}, d_k = {}, d_v = {};
  // [queries]: L, the logarithm of each query's sum of exponentials; infinity for a query without
  // weights. Rounded to fp32 it would shift all weights of a query alike.
  double* log_sums = nullptr;
};

// One way to compute attention. Every way gives the same result from run to run, and for any
// division of the work among threads. Scratch memory is aligned to 64 bytes.
struct AttentionKernel {
  std::int64_t (*forward_scratch)(const Head& head);  // bytes
  // Computes o and log_sums of the queries from first_query, at most head.tile_queries.
  void (*forward)(const Head& head, std::int64_t first_query, void* scratch);
  std::int64_t (*backward_scratch)(const Head& head, std::int64_t heads);  // bytes
  // Computes the gradients of `heads` heads that share k, v, d_k and d_v.
  void (*backward)(const Head* head, std::int64_t heads, void* scratch);
};

// For every processor and element.
extern const AttentionKernel kPortableAttention;
// For fp32, bf16 and fp16, on processors that have these instructions.
extern const AttentionKernel kAvx2Attention;
extern const AttentionKernel kAvx512Attention;
// The same, with the products of bf16 by AVX512-BF16.
extern const AttentionKernel kAvx512Bf16Attention;

const char* name_of(const AttentionKernel& kernel);  // portable AVX2 AVX-512 AVX512-BF16
// True if this processor has the instructions of the kernel.
bool runs_here(const AttentionKernel& kernel);
// The fastest kernel for the element on this processor.
const AttentionKernel& attention_kernel(Element element);

}  // namespace ts::kernels::own
