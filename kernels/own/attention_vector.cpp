// FlashAttention-2 (Dao 2023, arXiv 2307.08691), the algorithms at the top of
// attention_portable.cpp, in vectors of fp32. Compiled once for AVX2 and once for AVX-512.
//
// Forward, a tile of queries: Q^T is packed once. For each tile of keys
//   S^T = K Q^T            numbers of K times vectors of queries; S^T and P^T stay in the L1 cache
//   m, l, P of 16 or 8 queries in a vector: no sum across lanes; exp(m - m') is kept for each query
//   O = exp(m - m') O + P V    numbers of P times vectors of a row of V
// Backward, a tile of keys: K^T and V^T are packed once. For each tile of queries
//   S = Q K^T, dP = dO V^T, P and dS in vectors of keys, then the sums over queries dV += P^T dO,
//   dK += dS^T Q and the sum over keys dQ += dS K in vectors of a row.
// So all seven products are the one of tile_product.h: numbers of the one factor times rows of the
// other. Scores are scaled and rounded before the maximum is taken, in both directions alike: the
// largest weight of a row of huge scores is then exactly 1 in the backward, too.
#include "kernels/own/attention_tiles.h"
#include "kernels/own/tile_product.h"

namespace ts::kernels::own {
namespace {

template <class Number>
constexpr bool kIsFloat = false;
template <>
constexpr bool kIsFloat<float> = true;

// Rows first to first + count of a matrix as fp32 with whole vectors: where they are, or copied
// to `copy` [count][padded(d)].
template <class Number>
Panel rows_from(const Matrix& matrix, Index first, Index count, Index d, float* copy) {
  const Number* const from = row_of<Number>(matrix, first);
  if constexpr (kIsFloat<Number>) {
    if (d % kLanes == 0) return {from, matrix.row};
  }
  const Index width = padded(d);
  for (Index i = 0; i < count; ++i) {
    for (Index c = 0; c < d; ++c) copy[i * width + c] = widen(from[i * matrix.row + c]);
    for (Index c = d; c < width; ++c) copy[i * width + c] = 0;
  }
  return {copy, width};
}

// The same rows as columns, [d][width]; columns without a row are 0.
template <class Number>
Panel columns_from(const Matrix& matrix, Index first, Index count, Index d, Index width,
                   float* packed) {
  const Number* const from = row_of<Number>(matrix, first);
  for (Index c = 0; c < d; ++c) {
    for (Index i = 0; i < width; ++i) {
      packed[c * width + i] = i < count ? widen(from[i * matrix.row + c]) : 0;
    }
  }
  return {packed, width};
}

struct ForwardMemory {
  Index width;                    // a row of S^T: the queries of a tile, whole vectors
  float *q, *k, *v;               // Q^T [d][width]; copies of tiles of K and V
  float* p;                       // S^T, then P^T [keys][width]
  float* o;                       // [queries][padded(d)]
  float *largest, *sum, *shrink;  // of each query: m, l, exp(m - m')
  Index bytes;

  ForwardMemory(const Head& head, Parts parts) {
    const Index d = head.d_head;
    const Tile tile(head);
    width = padded(tile.queries);
    q = parts.take(d * width);
    k = parts.take(tile.keys * padded(d));
    v = parts.take(tile.keys * padded(d));
    p = parts.take(tile.keys * width);
    o = parts.take(tile.queries * padded(d));
    largest = parts.take(width);
    sum = parts.take(width);
    shrink = parts.take(width);
    bytes = parts.bytes();
  }
};

template <class Number>
void forward_tile(const Head& head, Index first, void* scratch) {
  const Index d = head.d_head, width = padded(d);
  const ForwardMemory memory(head, Parts(scratch));
  const Tile tile(head);
  const float scale = scale_of(head);
  const Index queries = min_of(tile.queries, head.queries - first);
  const Index end = head.causal ? min_of(head.keys, first + queries) : head.keys;
  const Panel q = columns_from<Number>(head.q, first, queries, d, memory.width, memory.q);
  for (Index i = 0; i < memory.width; ++i) memory.largest[i] = kLowest;
  for (Index i = 0; i < memory.width; ++i) memory.sum[i] = 0;
  for (Index j = 0; j < end; j += tile.keys) {
    const Index keys = min_of(tile.keys, end - j);
    const Panel k = rows_from<Number>(head.k, j, keys, d, memory.k);
    const Panel v = rows_from<Number>(head.v, j, keys, d, memory.v);
    multiply<Result::scaled_product>(keys, memory.width, d, {k.data, k.row, 1}, q,
                                     {memory.p, memory.width}, &scale);
    if (head.causal) mask_transposed(memory.p, memory.width, keys, j, first);
    online_softmax(memory, keys);
    const Factor p{memory.p, 1, memory.width};
    if (j == 0) {
      multiply<Result::product>(queries, width, keys, p, v, {memory.o, width});
    } else {
      multiply<Result::scaled_sum>(queries, width, keys, p, v, {memory.o, width}, memory.shrink);
    }
  }
  for (Index i = 0; i < queries; ++i) {
    const float sum = memory.sum[i], largest = memory.largest[i];
    // A query without any weight has the output 0, and infinity as L gives it no gradient.
    const bool weighs = sum != 0;
    const float factor = weighs ? 1 / sum : 0;
    Number* const o = row_of<Number>(head.o, first + i);
    for (Index c = 0; c < d; ++c) narrow(memory.o[i * width + c] * factor, o[c]);
    head.log_sums[first + i] = weighs ? largest + __builtin_log(sum) : -kLowest;
  }
}

struct BackwardMemory {
  Index width;                   // a row of S: the keys of a tile, whole vectors
  float *k_columns, *v_columns;  // K^T and V^T [d][width]
  float *k, *q, *d_o;            // copies of tiles
  float *p, *d_s;                // [queries][width]
  float *d_k, *d_v;              // [keys][padded(d)]
  float* row_sums;               // D, [heads][queries]
  float* d_q;  // [heads][queries][padded(d)], where d_q itself cannot be summed in
  Index bytes;

  BackwardMemory(const Head& head, Index heads, Parts parts) {
    const Index d = head.d_head, row = padded(d);
    const Tile tile(head);
    width = padded(tile.keys);
    k_columns = parts.take(d * width);
    v_columns = parts.take(d * width);
    k = parts.take(tile.keys * row);
    q = parts.take(tile.queries * row);
    d_o = parts.take(tile.queries * row);
    p = parts.take(tile.queries * width);
    d_s = parts.take(tile.queries * width);
    d_k = parts.take(tile.keys * row);
    d_v = parts.take(tile.keys * row);
    row_sums = parts.take(heads * head.queries);
    d_q = sums_in_place(head) ? nullptr : parts.take(heads * head.queries * row);
    bytes = parts.bytes();
  }
  static bool sums_in_place(const Head& head) {
    return head.element == Element::fp32 && head.d_head % kLanes == 0;
  }
};

// D = rowsum(dO o O) of a head, in the order of the sums of dP: where a query sees one key, both
// are the same number, and their difference is 0 without an error.
template <class Number>
void row_sums_of(const Head& head, float* to) {
  constexpr Index kPart = Fp32Product::kPart;
  for (Index i = 0; i < head.queries; ++i) {
    const Number* const d_o = row_of<Number>(head.d_o, i);
    const Number* const o = row_of<Number>(head.o, i);
    float total = 0;
    for (Index first = 0; first < head.d_head; first += kPart) {
      float part = 0;
      for (Index c = first; c < min_of(first + kPart, head.d_head); ++c) {
        part = __builtin_fmaf(widen(d_o[c]), widen(o[c]), part);
      }
      total += part;
    }
    to[i] = total;
  }
}

// The last of the rows first. Under a causal mask the first queries have the largest weights: added
// last, their sums are rounded the fewest times.
Panel from_last(const Panel& rows, Index count) {
  return {rows.data + (count - 1) * rows.row, -rows.row};
}
Factor columns_from_last(const float* rows, Index width, Index count) {
  return {rows + (count - 1) * width, 1, -width};
}

template <class Number>
void backward_heads(const Head* head, Index heads, void* scratch) {
  const BackwardMemory memory(*head, heads, Parts(scratch));
  const Index queries = head->queries, d = head->d_head, width = padded(d);
  const Tile tile(*head);
  const float scale = scale_of(*head);
  for (Index h = 0; h < heads; ++h) row_sums_of<Number>(head[h], memory.row_sums + h * queries);
  const auto d_q_of = [&](Index h) -> Sums {
    if (memory.d_q == nullptr) return {static_cast<float*>(head[h].d_q.data), head[h].d_q.row};
    return {memory.d_q + h * queries * width, width};
  };
  for (Index j = 0; j < head->keys; j += tile.keys) {
    const Index keys = min_of(tile.keys, head->keys - j);
    const Panel k_columns =
        columns_from<Number>(head->k, j, keys, d, memory.width, memory.k_columns);
    const Panel v_columns =
        columns_from<Number>(head->v, j, keys, d, memory.width, memory.v_columns);
    const Panel k = rows_from<Number>(head->k, j, keys, d, memory.k);
    for (Index n = 0; n < keys * width; ++n) memory.d_k[n] = memory.d_v[n] = 0;
    for (Index h = 0; h < heads; ++h) {
      const Sums d_q = d_q_of(h);
      const Index begin = head->causal ? j : 0;
      for (Index n = (queries - begin + tile.queries - 1) / tile.queries - 1; n >= 0; --n) {
        const Index i = begin + n * tile.queries;
        const Index rows = min_of(tile.queries, queries - i);
        const Panel q = rows_from<Number>(head[h].q, i, rows, d, memory.q);
        const Panel d_o = rows_from<Number>(head[h].d_o, i, rows, d, memory.d_o);
        multiply<Result::scaled_product>(rows, memory.width, d, {q.data, q.row, 1}, k_columns,
                                         {memory.p, memory.width}, &scale);
        multiply<Result::product>(rows, memory.width, d, {d_o.data, d_o.row, 1}, v_columns,
                                  {memory.d_s, memory.width});
        tile_gradients(head[h], memory, memory.row_sums + h * queries + i, rows, i, j);
        multiply<Result::sum>(keys, width, rows, columns_from_last(memory.p, memory.width, rows),
                              from_last(d_o, rows), {memory.d_v, width});
        multiply<Result::sum>(keys, width, rows, columns_from_last(memory.d_s, memory.width, rows),
                              from_last(q, rows), {memory.d_k, width});
        const Factor d_s{memory.d_s, memory.width, 1};
        const Sums to{d_q.data + i * d_q.row, d_q.row};
        if (j == 0) {
          multiply<Result::product>(rows, width, keys, d_s, k, to);
        } else {
          multiply<Result::sum>(rows, width, keys, d_s, k, to);
        }
      }
    }
    for (Index r = 0; r < keys; ++r) {
      for (Index c = 0; c < d; ++c) {
        narrow(memory.d_k[r * width + c], row_of<Number>(head->d_k, j + r)[c]);
        narrow(memory.d_v[r * width + c], row_of<Number>(head->d_v, j + r)[c]);
      }
    }
  }
  if (memory.d_q == nullptr) return;
  for (Index h = 0; h < heads; ++h) {
    for (Index i = 0; i < queries; ++i) {
      const float* const from = memory.d_q + (h * queries + i) * width;
      for (Index c = 0; c < d; ++c) narrow(from[c], row_of<Number>(head[h].d_q, i)[c]);
    }
  }
}

Index forward_scratch(const Head& head) {
  return ForwardMemory(head, Parts(nullptr)).bytes;
}

void forward(const Head& head, Index first, void* scratch) {
  if (head.element == Element::bf16) return forward_tile<Bf16>(head, first, scratch);
  if (head.element == Element::fp16) return forward_tile<Fp16>(head, first, scratch);
  forward_tile<float>(head, first, scratch);
}

Index backward_scratch(const Head& head, Index heads) {
  return BackwardMemory(head, heads, Parts(nullptr)).bytes;
}

void backward(const Head* head, Index heads, void* scratch) {
  if (head->element == Element::bf16) return backward_heads<Bf16>(head, heads, scratch);
  if (head->element == Element::fp16) return backward_heads<Fp16>(head, heads, scratch);
  backward_heads<float>(head, heads, scratch);
}

}  // namespace

const AttentionKernel TENSORSCOPE_KERNEL(Attention) = {.forward_scratch = forward_scratch,
                                                       .forward = forward,
                                                       .backward_scratch = backward_scratch,
                                                       .backward = backward};

}  // namespace ts::kernels::own
