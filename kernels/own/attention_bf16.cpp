// FlashAttention-2 (Dao 2023, arXiv 2307.08691), the algorithms at the top of
// attention_portable.cpp, for bf16 by AVX512-BF16: a lane adds two products of bf16 to a sum in
// fp32 (VDPBF16PS), twice the products of an instruction of fp32.
//
// The depth of a product goes by pairs, which fill the 32 bits of a lane, so tile_product.h does
// what it does for fp32, with a pair for each number:
//   S^T = K Q^T, S = Q K^T, dP = dO V^T   rows as they are, times columns of pairs [d / 2][rows]
//   O += P V, dV += P^T dO, dK += dS^T Q  columns of pairs [rows / 2][...], times two rows side by
//   dQ += dS K                            side: [rows / 2][d]
// P and dS are rounded to bf16 for these, as PyTorch's kernel does; softmax, sums and gradients
// are fp32. Tiles and memory are those of attention_vector.cpp, which computes other types.
#include <immintrin.h>

#include "kernels/own/attention_tiles.h"
#include "kernels/own/tile_product.h"

namespace ts::kernels::own {
namespace {

// Numbers of A and B are pairs: any 32 bits, moved and never computed with.
struct PairProduct {
  static constexpr std::int64_t kPart = 64;  // rounding to bf16 is the larger error
  static Vector added(Vector sum, float x, Vector row) {
    return reinterpret_cast<Vector>(_mm512_dpbf16_ps(reinterpret_cast<__m512>(sum),
                                                     reinterpret_cast<__m512bh>(_mm512_set1_ps(x)),
                                                     reinterpret_cast<__m512bh>(row)));
  }
};

Index pairs_of(Index numbers) {
  return (numbers + 1) / 2;
}

// Two rows of 16 numbers side by side: the first in the lower half of each lane.
void store_pairs(float* to, HalfBits first, HalfBits second) {
  const Bits pairs =
      __builtin_convertvector(first, Bits) | (__builtin_convertvector(second, Bits) << 16U);
  store(to, reinterpret_cast<Vector>(pairs));
}
HalfBits rounded(Vector x) {
  return reinterpret_cast<HalfBits>(_mm512_cvtneps_pbh(reinterpret_cast<__m512>(x)));
}
// The first numbers of a row, and 0 behind them.
HalfBits first_numbers(const Bf16* from, Index count) {
  HalfBits numbers = {};
  if (count >= kLanes) {
    __builtin_memcpy(&numbers, from, sizeof numbers);
  } else {
    for (Index c = 0; c < count; ++c) numbers[c] = from[c].bits;
  }
  return numbers;
}

// Rows first to first + count as they are, by pairs: where they lie, or copied to `copy` [count][d
// / 2] if d is odd.
Panel rows_from(const Matrix& matrix, Index first, Index count, Index d, float* copy) {
  const Bf16* const from = row_of<Bf16>(matrix, first);
  const bool by_pairs = d % 2 == 0 && matrix.row % 2 == 0 &&
                        reinterpret_cast<std::uintptr_t>(from) % sizeof(float) == 0;
  if (by_pairs) return {reinterpret_cast<const float*>(from), matrix.row / 2};
  auto* const to = reinterpret_cast<Bf16*>(copy);
  const Index width = 2 * pairs_of(d);
  for (Index i = 0; i < count; ++i) {
    for (Index c = 0; c < width; ++c) {
      to[i * width + c] = c < d ? from[i * matrix.row + c] : Bf16{0};
    }
  }
  return {copy, pairs_of(d)};
}

// The same rows as columns of pairs, [d / 2][width]; columns without a row are 0.
Panel columns_from(const Panel& rows, Index count, Index d, Index width, float* packed) {
  const auto* const from = reinterpret_cast<const std::uint32_t*>(rows.data);
  auto* const to = reinterpret_cast<std::uint32_t*>(packed);
  for (Index c = 0; c < pairs_of(d); ++c) {
    for (Index i = 0; i < width; ++i) {
      to[c * width + i] = i < count ? from[i * rows.row + c] : 0;
    }
  }
  return {packed, width};
}

// Each two rows side by side, [count / 2][padded(d)].
Panel pairs_from(const Matrix& matrix, Index first, Index count, Index d, float* packed) {
  const Index width = padded(d);
  for (Index i = 0; i < count; i += 2) {
    const Bf16* const row = row_of<Bf16>(matrix, first + i);
    for (Index c = 0; c < width; c += kLanes) {
      const HalfBits second =
          i + 1 < count ? first_numbers(row + matrix.row + c, d - c) : HalfBits{};
      store_pairs(packed + i / 2 * width + c, first_numbers(row + c, d - c), second);
    }
  }
  return {packed, width};
}

// Each two rows of numbers [count][width], rounded, side by side: [count / 2][width].
void round_pairs(const float* from, Index count, Index width, float* to) {
  for (Index i = 0; i < count; i += 2) {
    for (Index c = 0; c < width; c += kLanes) {
      const HalfBits second =
          i + 1 < count ? rounded(load(from + (i + 1) * width + c)) : HalfBits{};
      store_pairs(to + i / 2 * width + c, rounded(load(from + i * width + c)), second);
    }
  }
}

// The rows of numbers [count][width], rounded: [count][width / 2].
void round_rows(const float* from, Index count, Index width, float* to) {
  for (Index n = 0; n < count * width; n += kLanes) {
    const HalfBits numbers = rounded(load(from + n));
    __builtin_memcpy(to + n / 2, &numbers, sizeof numbers);
  }
}

struct ForwardMemory {
  Index width;                    // a row of S^T: the queries of a tile, whole vectors
  float *q, *rows;                // Q^T; copies of Q or K where they do not lie by pairs
  float *v, *p_pairs;             // V and P^T by pairs of keys
  float* p;                       // S^T, then P^T [keys][width]
  float* o;                       // [queries][padded(d)]
  float *largest, *sum, *shrink;  // of each query: m, l, exp(m - m')
  Index bytes;

  ForwardMemory(const Head& head, Parts parts) {
    const Index d = head.d_head;
    const Tile tile(head);
    const Index most = tile.queries > tile.keys ? tile.queries : tile.keys;
    width = padded(tile.queries);
    q = parts.take(pairs_of(d) * width);
    rows = parts.take(most * pairs_of(d));
    v = parts.take(pairs_of(tile.keys) * padded(d));
    p_pairs = parts.take(pairs_of(tile.keys) * width);
    p = parts.take(tile.keys * width);
    o = parts.take(tile.queries * padded(d));
    largest = parts.take(width);
    sum = parts.take(width);
    shrink = parts.take(width);
    bytes = parts.bytes();
  }
};

// A row of d numbers of fp32, times a factor, as bf16.
void write_row(const float* from, float factor, Index d, Bf16* to) {
  Index c = 0;
  for (; c + kLanes <= d; c += kLanes) store(to + c, load(from + c) * factor, Whole{});
  for (; c < d; ++c) narrow(from[c] * factor, to[c]);
}

void forward_tile(const Head& head, Index first, void* scratch) {
  const Index d = head.d_head, width = padded(d);
  const ForwardMemory memory(head, Parts(scratch));
  const Tile tile(head);
  const float scale = scale_of(head);
  const Index queries = min_of(tile.queries, head.queries - first);
  const Index end = head.causal ? min_of(head.keys, first + queries) : head.keys;
  const Panel q = columns_from(rows_from(head.q, first, queries, d, memory.rows), queries, d,
                               memory.width, memory.q);
  for (Index i = 0; i < memory.width; ++i) memory.largest[i] = kLowest;
  for (Index i = 0; i < memory.width; ++i) memory.sum[i] = 0;
  for (Index j = 0; j < end; j += tile.keys) {
    const Index keys = min_of(tile.keys, end - j);
    const Panel k = rows_from(head.k, j, keys, d, memory.rows);
    const Panel v = pairs_from(head.v, j, keys, d, memory.v);
    multiply<Result::scaled_product, PairProduct>(
        keys, memory.width, pairs_of(d), {k.data, k.row, 1}, q, {memory.p, memory.width}, &scale);
    if (head.causal) mask_transposed(memory.p, memory.width, keys, j, first);
    online_softmax(memory, keys);
    round_pairs(memory.p, keys, memory.width, memory.p_pairs);
    const Factor p{memory.p_pairs, 1, memory.width};
    const Sums o{memory.o, width};
    if (j == 0) {
      multiply<Result::product, PairProduct>(queries, width, pairs_of(keys), p, v, o);
    } else {
      multiply<Result::scaled_sum, PairProduct>(queries, width, pairs_of(keys), p, v, o,
                                                memory.shrink);
    }
  }
  for (Index i = 0; i < queries; ++i) {
    const float sum = memory.sum[i], largest = memory.largest[i];
    // A query without any weight has the output 0, and infinity as L gives it no gradient.
    const bool weighs = sum != 0;
    write_row(memory.o + i * width, weighs ? 1 / sum : 0, d, row_of<Bf16>(head.o, first + i));
    head.log_sums[first + i] = weighs ? largest + __builtin_log(sum) : -kLowest;
  }
}

struct BackwardMemory {
  Index width;                   // a row of S: the keys of a tile, whole vectors
  float *k_columns, *v_columns;  // K^T and V^T [d / 2][width]
  float* rows;                   // copies of K, V, Q or dO where they do not lie by pairs
  float *k, *q, *d_o;            // by pairs of rows
  float *p, *d_s;                // [queries][width]
  float *p_pairs, *d_s_pairs;    // by pairs of queries
  float* d_s_rows;               // by pairs of keys
  float *d_k, *d_v;              // [keys][padded(d)]
  float* row_sums;               // D, [heads][queries]
  float* d_q;                    // [heads][queries][padded(d)]
  Index bytes;

  BackwardMemory(const Head& head, Index heads, Parts parts) {
    const Index d = head.d_head, row = padded(d);
    const Tile tile(head);
    const Index most = tile.queries > tile.keys ? tile.queries : tile.keys;
    width = padded(tile.keys);
    k_columns = parts.take(pairs_of(d) * width);
    v_columns = parts.take(pairs_of(d) * width);
    rows = parts.take(2 * most * pairs_of(d));
    k = parts.take(pairs_of(tile.keys) * row);
    q = parts.take(pairs_of(tile.queries) * row);
    d_o = parts.take(pairs_of(tile.queries) * row);
    p = parts.take(tile.queries * width);
    d_s = parts.take(tile.queries * width);
    p_pairs = parts.take(pairs_of(tile.queries) * width);
    d_s_pairs = parts.take(pairs_of(tile.queries) * width);
    d_s_rows = parts.take(tile.queries * width / 2);
    d_k = parts.take(tile.keys * row);
    d_v = parts.take(tile.keys * row);
    row_sums = parts.take(heads * head.queries);
    d_q = parts.take(heads * head.queries * row);
    bytes = parts.bytes();
  }
};

// D = rowsum(dO o O) of a head.
void row_sums_of(const Head& head, float* to) {
  for (Index i = 0; i < head.queries; ++i) {
    const Bf16* const d_o = row_of<Bf16>(head.d_o, i);
    const Bf16* const o = row_of<Bf16>(head.o, i);
    RowSum sum;
    each_vector(head.d_head, [&](Index c, int turn, auto lanes) {
      sum.parts[turn] += load(d_o + c, lanes) * load(o + c, lanes);
    });
    to[i] = sum.total();
  }
}

void backward_heads(const Head* head, Index heads, void* scratch) {
  const BackwardMemory memory(*head, heads, Parts(scratch));
  const Index queries = head->queries, d = head->d_head, width = padded(d);
  const Tile tile(*head);
  const float scale = scale_of(*head);
  for (Index h = 0; h < heads; ++h) row_sums_of(head[h], memory.row_sums + h * queries);
  for (Index j = 0; j < head->keys; j += tile.keys) {
    const Index keys = min_of(tile.keys, head->keys - j);
    const Panel k_columns = columns_from(rows_from(head->k, j, keys, d, memory.rows), keys, d,
                                         memory.width, memory.k_columns);
    const Panel v_columns = columns_from(rows_from(head->v, j, keys, d, memory.rows), keys, d,
                                         memory.width, memory.v_columns);
    const Panel k = pairs_from(head->k, j, keys, d, memory.k);
    for (Index n = 0; n < keys * width; ++n) memory.d_k[n] = memory.d_v[n] = 0;
    for (Index h = 0; h < heads; ++h) {
      for (Index i = head->causal ? j : 0; i < queries; i += tile.queries) {
        const Index rows = min_of(tile.queries, queries - i);
        const Panel q = rows_from(head[h].q, i, rows, d, memory.rows);
        const Panel d_o = rows_from(head[h].d_o, i, rows, d, memory.rows + rows * pairs_of(d));
        multiply<Result::scaled_product, PairProduct>(rows, memory.width, pairs_of(d),
                                                      {q.data, q.row, 1}, k_columns,
                                                      {memory.p, memory.width}, &scale);
        multiply<Result::product, PairProduct>(rows, memory.width, pairs_of(d),
                                               {d_o.data, d_o.row, 1}, v_columns,
                                               {memory.d_s, memory.width});
        tile_gradients(head[h], memory, memory.row_sums + h * queries + i, rows, i, j);
        round_pairs(memory.p, rows, memory.width, memory.p_pairs);
        round_pairs(memory.d_s, rows, memory.width, memory.d_s_pairs);
        round_rows(memory.d_s, rows, memory.width, memory.d_s_rows);
        multiply<Result::sum, PairProduct>(
            keys, width, pairs_of(rows), {memory.p_pairs, 1, memory.width},
            pairs_from(head[h].d_o, i, rows, d, memory.d_o), {memory.d_v, width});
        multiply<Result::sum, PairProduct>(
            keys, width, pairs_of(rows), {memory.d_s_pairs, 1, memory.width},
            pairs_from(head[h].q, i, rows, d, memory.q), {memory.d_k, width});
        const Factor d_s{memory.d_s_rows, memory.width / 2, 1};
        const Sums d_q{memory.d_q + (h * queries + i) * width, width};
        if (j == 0) {
          multiply<Result::product, PairProduct>(rows, width, pairs_of(keys), d_s, k, d_q);
        } else {
          multiply<Result::sum, PairProduct>(rows, width, pairs_of(keys), d_s, k, d_q);
        }
      }
    }
    for (Index r = 0; r < keys; ++r) {
      write_row(memory.d_k + r * width, 1, d, row_of<Bf16>(head->d_k, j + r));
      write_row(memory.d_v + r * width, 1, d, row_of<Bf16>(head->d_v, j + r));
    }
  }
  for (Index h = 0; h < heads; ++h) {
    for (Index i = 0; i < queries; ++i) {
      write_row(memory.d_q + (h * queries + i) * width, 1, d, row_of<Bf16>(head[h].d_q, i));
    }
  }
}

Index forward_scratch(const Head& head) {
  if (head.element != Element::bf16) return kAvx512Attention.forward_scratch(head);
  return ForwardMemory(head, Parts(nullptr)).bytes;
}

void forward(const Head& head, Index first, void* scratch) {
  if (head.element != Element::bf16) return kAvx512Attention.forward(head, first, scratch);
  forward_tile(head, first, scratch);
}

Index backward_scratch(const Head& head, Index heads) {
  if (head.element != Element::bf16) return kAvx512Attention.backward_scratch(head, heads);
  return BackwardMemory(head, heads, Parts(nullptr)).bytes;
}

void backward(const Head* head, Index heads, void* scratch) {
  if (head->element != Element::bf16) return kAvx512Attention.backward(head, heads, scratch);
  backward_heads(head, heads, scratch);
}

}  // namespace

const AttentionKernel kAvx512Bf16Attention = {.forward_scratch = forward_scratch,
                                              .forward = forward,
                                              .backward_scratch = backward_scratch,
                                              .backward = backward};

}  // namespace ts::kernels::own
