// FlashAttention-2 (Dao 2023, arXiv 2307.08691), algorithms 1 and 2, in plain loops over tiles.
//
//   forward: for each tile i of queries            backward: for each tile j of keys
//     O = 0, l = 0, m = -inf                         dK = 0, dV = 0
//     for each tile j of keys                        for each tile i of queries
//       S = scale Q_i K_j^T                            S = scale Q_i K_j^T
//       m' = max(m, rowmax S)                          P = exp(S - L_i)
//       P = exp(S - m')                                dV += P^T dO_i
//       l = exp(m - m') l + rowsum P                   dP = dO_i V_j^T
//       O = exp(m - m') O + P V_j, m = m'              dS = P o (dP - D_i), D = rowsum(dO o O)
//     O = O / l, L = m + log l                         dQ_i += scale dS K_j, dK += scale dS^T Q_i
//
// Under a causal mask tiles above the diagonal are skipped. All sums are fp64.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/own/attention_kernel.h"
#include "kernels/own/number.h"

namespace ts::kernels::own {
namespace {

using Index = std::int64_t;
using Sum = double;

// Rows of a matrix as numbers of a type.
template <class Number>
Number* row_of(const Matrix& matrix, Index row) {
  return static_cast<Number*>(matrix.data) + row * matrix.row;
}

template <class A, class B>
Sum dot(const A* a, const B* b, Index n) {
  Sum sum = 0;
  for (Index c = 0; c < n; ++c) sum += Sum{widen(a[c])} * Sum{widen(b[c])};
  return sum;
}

// to += factor * x
template <class Number>
void add(Sum* to, Sum factor, const Number* x, Index n) {
  for (Index c = 0; c < n; ++c) to[c] += factor * Sum{widen(x[c])};
}

template <class Number>
void write(const Sum* from, Number* to, Index n) {
  for (Index c = 0; c < n; ++c) narrow(from[c], to[c]);
}

bool sees(const Head& head, Index query, Index key) {
  return !head.causal || key <= query;
}

// Memory of the forward for a tile of queries.
struct ForwardMemory {
  Sum* o;  // [queries][d]
  Sum *m, *l;
  Sum* p;  // [keys], of one query

  ForwardMemory(const Head& head, void* memory)
      : o(static_cast<Sum*>(memory)),
        m(o + head.tile_queries * head.d_head),
        l(m + head.tile_queries),
        p(l + head.tile_queries) {}
  static Index numbers(const Head& head) {
    return head.tile_queries * (head.d_head + 2) + head.tile_keys;
  }
};

template <class Number>
void forward_tile(const Head& head, Index first, void* scratch) {
  constexpr Sum kLowest = -std::numeric_limits<Sum>::infinity();
  const auto [o, m, l, p] = ForwardMemory(head, scratch);
  const Index queries = std::min(head.tile_queries, head.queries - first);
  const Index d = head.d_head;
  const Index end = head.causal ? std::min(head.keys, first + queries) : head.keys;
  std::fill_n(m, queries, kLowest);
  std::fill_n(l, queries, Sum{0});
  std::fill_n(o, queries * d, Sum{0});
  for (Index j = 0; j < end; j += head.tile_keys) {
    const Index keys = std::min(head.tile_keys, end - j);
    for (Index i = 0; i < queries; ++i) {
      Sum largest = m[i];
      for (Index key = 0; key < keys; ++key) {
        const Sum s = dot(row_of<Number>(head.q, first + i), row_of<Number>(head.k, j + key), d);
        p[key] = sees(head, first + i, j + key) ? s * head.scale : kLowest;
        largest = std::max(largest, p[key]);
      }
      // Scores of minus infinity alone have the weight 0, not NaN.
      const Sum base = largest == kLowest ? 0 : largest;
      const Sum shrink = std::exp(m[i] - base);
      m[i] = largest;
      l[i] *= shrink;
      for (Index c = 0; c < d; ++c) o[i * d + c] *= shrink;
      for (Index key = 0; key < keys; ++key) {
        p[key] = std::exp(p[key] - base);
        l[i] += p[key];
        add(o + i * d, p[key], row_of<Number>(head.v, j + key), d);
      }
    }
  }
  for (Index i = 0; i < queries; ++i) {
    // A query without any weight has the output 0, and infinity as L gives it no gradient.
    const bool weighs = l[i] != 0;
    for (Index c = 0; c < d; ++c) o[i * d + c] *= weighs ? 1 / l[i] : 0;
    write(o + i * d, row_of<Number>(head.o, first + i), d);
    head.log_sums[first + i] = weighs ? m[i] + std::log(l[i]) : -kLowest;
  }
}

// Memory of the backward for a group of heads.
struct Gradients {
  Sum* d_k;  // [keys of a tile][d], as d_v
  Sum* d_v;
  Sum* row_sums;  // D, [heads][queries]
  Sum* d_q;       // [heads][queries][d]

  Gradients(const Head& head, Index heads, void* memory)
      : d_k(static_cast<Sum*>(memory)),
        d_v(d_k + head.tile_keys * head.d_head),
        row_sums(d_v + head.tile_keys * head.d_head),
        d_q(row_sums + heads * head.queries) {}
  static Index numbers(const Head& head, Index heads) {
    return 2 * head.tile_keys * head.d_head + heads * head.queries * (1 + head.d_head);
  }
};

// Adds the share of a head's queries from `first` on in the gradients, for the keys from j on.
template <class Number>
void backward_tile(const Head& head, Index first, Index j, const Sum* row_sums, Sum* d_q,
                   const Gradients& to) {
  const Index d = head.d_head;
  for (Index query = first; query < std::min(first + head.tile_queries, head.queries); ++query) {
    const Number* const q = row_of<Number>(head.q, query);
    const Number* const d_o = row_of<Number>(head.d_o, query);
    for (Index key = j; key < std::min(j + head.tile_keys, head.keys); ++key) {
      if (!sees(head, query, key)) continue;
      const Number* const k = row_of<Number>(head.k, key);
      const Number* const v = row_of<Number>(head.v, key);
      const Sum p = std::exp(dot(q, k, d) * head.scale - head.log_sums[query]);
      const Sum d_s = p * (dot(d_o, v, d) - row_sums[query]) * head.scale;
      add(to.d_v + (key - j) * d, p, d_o, d);
      add(to.d_k + (key - j) * d, d_s, q, d);
      add(d_q + query * d, d_s, k, d);
    }
  }
}

template <class Number>
void backward_heads(const Head* head, Index heads, void* memory) {
  const Gradients gradients(*head, heads, memory);
  const Index d = head->d_head, queries = head->queries;
  for (Index h = 0; h < heads; ++h) {
    for (Index i = 0; i < queries; ++i) {
      gradients.row_sums[h * queries + i] =
          dot(row_of<Number>(head[h].d_o, i), row_of<Number>(head[h].o, i), d);
    }
  }
  std::fill_n(gradients.d_q, heads * queries * d, Sum{0});
  for (Index j = 0; j < head->keys; j += head->tile_keys) {
    std::fill_n(gradients.d_k, 2 * head->tile_keys * d, Sum{0});
    for (Index h = 0; h < heads; ++h) {
      for (Index i = head->causal ? j : 0; i < queries; i += head->tile_queries) {
        backward_tile<Number>(head[h], i, j, gradients.row_sums + h * queries,
                              gradients.d_q + h * queries * d, gradients);
      }
    }
    for (Index key = 0; key < std::min(head->tile_keys, head->keys - j); ++key) {
      write(gradients.d_k + key * d, row_of<Number>(head->d_k, j + key), d);
      write(gradients.d_v + key * d, row_of<Number>(head->d_v, j + key), d);
    }
  }
  for (Index h = 0; h < heads; ++h) {
    for (Index i = 0; i < queries; ++i) {
      write(gradients.d_q + (h * queries + i) * d, row_of<Number>(head[h].d_q, i), d);
    }
  }
}

Index forward_scratch(const Head& head) {
  return ForwardMemory::numbers(head) * Index{sizeof(Sum)};
}

void forward(const Head& head, Index first, void* scratch) {
  switch (head.element) {
    case Element::fp64:
      return forward_tile<double>(head, first, scratch);
    case Element::fp32:
      return forward_tile<float>(head, first, scratch);
    case Element::bf16:
      return forward_tile<Bf16>(head, first, scratch);
    case Element::fp16:
      return forward_tile<Fp16>(head, first, scratch);
  }
}

Index backward_scratch(const Head& head, Index heads) {
  return Gradients::numbers(head, heads) * Index{sizeof(Sum)};
}

void backward(const Head* head, Index heads, void* scratch) {
  switch (head->element) {
    case Element::fp64:
      return backward_heads<double>(head, heads, scratch);
    case Element::fp32:
      return backward_heads<float>(head, heads, scratch);
    case Element::bf16:
      return backward_heads<Bf16>(head, heads, scratch);
    case Element::fp16:
      return backward_heads<Fp16>(head, heads, scratch);
  }
}

}  // namespace

const AttentionKernel kPortableAttention = {.forward_scratch = forward_scratch,
                                            .forward = forward,
                                            .backward_scratch = backward_scratch,
                                            .backward = backward};

}  // namespace ts::kernels::own
