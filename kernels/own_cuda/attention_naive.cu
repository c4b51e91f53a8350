// Attention, the naive stage: one thread a row, nothing shared but caches.
//
//   forward, a thread a query:                    backward (Dao 2023, arXiv 2307.08691,
//   section 2.2):
//     O = 0, l = 0, m = -inf                        D = rowsum(dO o O), a thread a query
//     for each key that the query sees              a thread a query:  dS = P o (dO V^T - D)
//       S = scale q . k                                                dQ = scale sum of dS k
//       m' = max(m, S), P = exp(S - m')             a thread a key:    dV = sum of P dO
//       l = exp(m - m') l + P                                          dK = scale sum of dS q
//       O = exp(m - m') O + P v, m = m'             with P = exp(S - L) computed again
//     O = O / l, L = m + log l
//
// The softmax in one pass is Milakov and Gimelshein 2018 (arXiv 1805.02867).
#include "kernels/own_cuda/attention.h"

namespace ts::kernels::own_cuda {

template <int d_head, class Number>
__device__ float dot(const Number* a, const Number* b) {
  float sum = 0;
  for (int c = 0; c < d_head; ++c) sum += widen(a[c]) * widen(b[c]);
  return sum;
}

// to = factor * to + weight * x
template <int d_head, class Number>
__device__ void add(float* to, float factor, float weight, const Number* x) {
  for (int c = 0; c < d_head; ++c) to[c] = factor * to[c] + weight * widen(x[c]);
}

__device__ inline int row_of_thread() {
  return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

template <class Number, int d_head>
__device__ void attention_naive_forward(const Attention<Number>& a) {
  const int head = static_cast<int>(blockIdx.y), query = row_of_thread();
  if (query >= a.queries) return;
  const Number* q = head_of<d_head>(a.q, head, a.queries) + query * d_head;
  const Number* k = head_of<d_head>(a.k, head / a.group, a.keys);
  const Number* v = head_of<d_head>(a.v, head / a.group, a.keys);
  float o[d_head] = {}, l = 0, m = kLowest;
  const int end = keys_seen(a, query + 1);
  for (int key = 0; key < end; ++key) {
    const float s = a.scale * dot<d_head>(q, k + key * d_head);
    const float larger = fmaxf(m, s);
    const float shrink = expf(m - base_of(larger)), p = expf(s - base_of(larger));
    l = shrink * l + p;
    add<d_head>(o, shrink, p, v + key * d_head);
    m = larger;
  }
  write(head_of<d_head>(a.o, head, a.queries) + query * d_head, o, d_head, l == 0 ? 0 : 1 / l);
  a.log_sums[head * a.queries + query] = l == 0 ? -kLowest : m + logf(l);
}

// D, for the backward of every stage.
template <class Number, int d_head>
__device__ void attention_row_sums(const Attention<Number>& a) {
  const int head = static_cast<int>(blockIdx.y), query = row_of_thread();
  if (query >= a.queries) return;
  const Number* o = head_of<d_head>(a.o, head, a.queries) + query * d_head;
  const Number* d_o = head_of<d_head>(a.d_o, head, a.queries) + query * d_head;
  a.row_sums[head * a.queries + query] = dot<d_head>(o, d_o);
}

template <class Number, int d_head>
__device__ void attention_naive_d_q(const Attention<Number>& a) {
  const int head = static_cast<int>(blockIdx.y), query = row_of_thread();
  if (query >= a.queries) return;
  const Number* q = head_of<d_head>(a.q, head, a.queries) + query * d_head;
  const Number* d_o = head_of<d_head>(a.d_o, head, a.queries) + query * d_head;
  const Number* k = head_of<d_head>(a.k, head / a.group, a.keys);
  const Number* v = head_of<d_head>(a.v, head / a.group, a.keys);
  const float log_sum = a.log_sums[head * a.queries + query];
  const float row_sum = a.row_sums[head * a.queries + query];
  float d_q[d_head] = {};
  const int end = keys_seen(a, query + 1);
  for (int key = 0; key < end; ++key) {
    const float p = expf(a.scale * dot<d_head>(q, k + key * d_head) - log_sum);
    const float d_s = p * (dot<d_head>(d_o, v + key * d_head) - row_sum);
    add<d_head>(d_q, 1, d_s, k + key * d_head);
  }
  write(head_of<d_head>(a.d_q, head, a.queries) + query * d_head, d_q, d_head, a.scale);
}

template <class Number, int d_head>
__device__ void attention_naive_d_kv(const Attention<Number>& a) {
  const int kv_head = static_cast<int>(blockIdx.y), key = row_of_thread();
  if (key >= a.keys) return;
  const Number* k = head_of<d_head>(a.k, kv_head, a.keys) + key * d_head;
  const Number* v = head_of<d_head>(a.v, kv_head, a.keys) + key * d_head;
  float d_k[d_head] = {}, d_v[d_head] = {};
  for (int head = kv_head * a.group; head < (kv_head + 1) * a.group; ++head) {
    const Number* q = head_of<d_head>(a.q, head, a.queries);
    const Number* d_o = head_of<d_head>(a.d_o, head, a.queries);
    for (int query = a.causal != 0 ? key : 0; query < a.queries; ++query) {
      const int row = head * a.queries + query;
      const float p = expf(a.scale * dot<d_head>(q + query * d_head, k) - a.log_sums[row]);
      const float d_s = p * (dot<d_head>(d_o + query * d_head, v) - a.row_sums[row]);
      add<d_head>(d_v, 1, p, d_o + query * d_head);
      add<d_head>(d_k, 1, d_s, q + query * d_head);
    }
  }
  write(head_of<d_head>(a.d_k, kv_head, a.keys) + key * d_head, d_k, d_head, a.scale);
  write(head_of<d_head>(a.d_v, kv_head, a.keys) + key * d_head, d_v, d_head, 1);
}

}  // namespace ts::kernels::own_cuda

#define TENSORSCOPE_NAIVE(Number, type)                                          \
  TENSORSCOPE_ATTENTION_KERNELS(attention_naive_forward, Number, type, 128, 128) \
  TENSORSCOPE_ATTENTION_KERNELS(attention_row_sums, Number, type, 128, 128)      \
  TENSORSCOPE_ATTENTION_KERNELS(attention_naive_d_q, Number, type, 128, 128)     \
  TENSORSCOPE_ATTENTION_KERNELS(attention_naive_d_kv, Number, type, 128, 128)
TENSORSCOPE_NAIVE(float, fp32)
TENSORSCOPE_NAIVE(ts::kernels::own_cuda::Bf16, bf16)
TENSORSCOPE_NAIVE(ts::kernels::own_cuda::Fp16, fp16)
