#pragma once

#include "kernels/own/vector.h"

// The product of two matrices that fit into caches, the inner loop of every kernel here. A tile of
// C of kHigh rows and kWide vectors stays in registers: each number of A is broadcast once for
// kWide vectors, each vector of B is loaded once for kHigh rows (Goto and van de Geijn 2008).
namespace ts::kernels::own {
namespace {

// 24 of 32 registers for sums with AVX-512, 12 of 16 with AVX2.
constexpr int kHigh = 6;
constexpr int kWide = kLanes == 16 ? 4 : 2;

// The result C: A B, C + A B, diag(factor) C + A B, or A B times factor[0]. A B is summed from 0
// and added to C once: one sum over all of T would round T times in a row. Where C gets A B alone,
// A B is summed by parts, for the same reason: errors of scores are the largest part of all errors.
enum class Result : std::uint8_t { product, sum, scaled_sum, scaled_product };

// A[m][k] is data[m * row + k * column]. One of both distances is 1.
struct Factor {
  const float* data;
  std::int64_t row;
  std::int64_t column;
};

// Rows of vectors: row k begins at data + k * row.
struct Panel {
  const float* data;
  std::int64_t row;
};
struct Sums {
  float* data;
  std::int64_t row;
};

// How a number of A and a vector of B are added to a sum.
struct Fp32Product {
  static constexpr std::int64_t kPart = 32;  // products of a part of a sum
  static Vector added(Vector sum, float x, Vector row) { return sum + x * row; }
};

template <int high, int wide>
using RegisterTile = Vector[high][wide];

// Adds `depth` products to each sum. Both factors move on behind them.
template <class Arithmetic, int high, int wide>
[[gnu::always_inline]] inline void add_products(RegisterTile<high, wide>& sum, std::int64_t depth,
                                                Factor& a, Panel& b) {
  for (std::int64_t k = 0; k < depth; ++k) {
    Vector row[wide];
#pragma GCC unroll 8
    for (int n = 0; n < wide; ++n) row[n] = load(b.data + n * kLanes);
#pragma GCC unroll 8
    for (int m = 0; m < high; ++m) {
      const float x = a.data[m * a.row];
#pragma GCC unroll 8
      for (int n = 0; n < wide; ++n) sum[m][n] = Arithmetic::added(sum[m][n], x, row[n]);
    }
    a.data += a.column;
    b.data += b.row;
  }
}

// Calls visit(sum, to, m) for each sum, its place in C, and its row.
template <int high, int wide, class Visit>
[[gnu::always_inline]] inline void each_sum(RegisterTile<high, wide>& sum, Sums c, Visit visit) {
#pragma GCC unroll 8
  for (int m = 0; m < high; ++m) {
#pragma GCC unroll 8
    for (int n = 0; n < wide; ++n) visit(sum[m][n], c.data + m * c.row + n * kLanes, m);
  }
}

template <int high, int wide, Result result, class Arithmetic>
[[gnu::always_inline]] inline void register_tile(std::int64_t depth, Factor a, Panel b, Sums c,
                                                 const float* factor) {
  constexpr bool by_parts = result == Result::product || result == Result::scaled_product;
  RegisterTile<high, wide> sum;
  each_sum(sum, c, [](Vector& x, float*, int) { x = Vector{}; });
  bool begun = false;  // C has the parts before
  for (; by_parts && depth > Arithmetic::kPart; depth -= Arithmetic::kPart) {
    add_products<Arithmetic>(sum, Arithmetic::kPart, a, b);
    each_sum(sum, c, [&](Vector& x, float* to, int) {
      store(to, begun ? load(to) + x : x);
      x = Vector{};
    });
    begun = true;
  }
  add_products<Arithmetic>(sum, depth, a, b);
  each_sum(sum, c, [&](Vector& x, float* to, int m) {
    if (by_parts && begun) x += load(to);
    if (result == Result::scaled_product) x *= factor[0];
    if (result == Result::sum) x += load(to);
    if (result == Result::scaled_sum) x += factor[m] * load(to);
    store(to, x);
  });
}

// The last rows, fewer than kHigh.
template <int wide, Result result, class Arithmetic, int high = kHigh - 1>
void last_rows(std::int64_t rows, std::int64_t depth, Factor a, Panel b, Sums c,
               const float* factor) {
  if constexpr (high > 0) {
    if (rows == high) return register_tile<high, wide, result, Arithmetic>(depth, a, b, c, factor);
    last_rows<wide, result, Arithmetic, high - 1>(rows, depth, a, b, c, factor);
  }
}

// A column of register tiles. The distance that is 1 is told to the compiler.
template <int wide, Result result, class Arithmetic>
[[gnu::noinline]] void tile_column(std::int64_t rows, std::int64_t depth, Factor a, Panel b, Sums c,
                                   const float* factor) {
  for (; rows >= kHigh; rows -= kHigh) {
    const Factor by_rows{a.data, a.row, 1}, by_columns{a.data, 1, a.column};
    if (a.column == 1) {
      register_tile<kHigh, wide, result, Arithmetic>(depth, by_rows, b, c, factor);
    } else {
      register_tile<kHigh, wide, result, Arithmetic>(depth, by_columns, b, c, factor);
    }
    a.data += kHigh * a.row;
    c.data += kHigh * c.row;
    if (result == Result::scaled_sum) factor += kHigh;
  }
  last_rows<wide, result, Arithmetic>(rows, depth, a, b, c, factor);
}

// A [rows][depth] times B [depth][columns] into C [rows][columns]. The columns are a multiple of
// kLanes. Each number of C is summed in the same order of k, wherever it stands in a tile.
template <Result result, class Arithmetic = Fp32Product>
void multiply(std::int64_t rows, std::int64_t columns, std::int64_t depth, Factor a, Panel b,
              Sums c, const float* factor = nullptr) {
  std::int64_t n = 0;
  for (; n + kWide * kLanes <= columns; n += kWide * kLanes) {
    tile_column<kWide, result, Arithmetic>(rows, depth, a, {b.data + n, b.row}, {c.data + n, c.row},
                                           factor);
  }
  for (; n < columns; n += kLanes) {
    tile_column<1, result, Arithmetic>(rows, depth, a, {b.data + n, b.row}, {c.data + n, c.row},
                                       factor);
  }
}

}  // namespace
}  // namespace ts::kernels::own
