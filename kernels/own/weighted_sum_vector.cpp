// The weighted sum, the formulas at the top of weighted_sum_portable.cpp, in vectors of fp32.
// Compiled once for AVX2 and once for AVX-512.
//
//   forward, each row: one pass over x, with four partial sums
//   backward, each row: one pass that reads x, writes dx and adds to dweight
//
// Each number of x is read once from memory; weight and dweight stay in the cache from row to row.
// The caller gives each block of rows a dweight of its own and adds these up.
#include "kernels/own/by_row.h"
#include "kernels/own/row_vectors.h"

namespace ts::kernels::own {
namespace {

struct WeightedSumRow {
  template <class Number>
  static void forward(const WeightedSumRows& in, Index row) {
    const float* const weight = sums(in.weight);
    const Number* const x = row_of<Number>(in.x, row, in.width);
    RowSum sum;
    each_vector(in.width, [&](Index c, int turn, auto lanes) {
      sum.parts[turn] += load(x + c, lanes) * load(weight + c, lanes);
    });
    narrow(sum.total(), static_cast<Number*>(in.y)[row]);
  }

  template <class Number>
  static void backward(const WeightedSumRows& in, Index row) {
    const float* const weight = sums(in.weight);
    float* const d_weight = sums(in.d_weight);
    const Number* const x = row_of<Number>(in.x, row, in.width);
    Number* const d_x = in.d_x != nullptr ? row_of<Number>(in.d_x, row, in.width) : nullptr;
    const float d_y = widen(static_cast<const Number*>(in.d_y)[row]);
    each_vector(in.width, [&](Index c, int /*turn*/, auto lanes) {
      if (d_x != nullptr) store(d_x + c, d_y * load(weight + c, lanes), lanes);
      if (d_weight != nullptr) {
        store(d_weight + c, load(d_weight + c, lanes) + d_y * load(x + c, lanes), lanes);
      }
    });
  }
};

}  // namespace

const WeightedSumKernel TENSORSCOPE_KERNEL(WeightedSum) = by_row<WeightedSumRow, WeightedSumRows>();

}  // namespace ts::kernels::own
