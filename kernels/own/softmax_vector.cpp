// Softmax, the formulas at the top of softmax_portable.cpp, in vectors of fp32. Compiled once for
// AVX2 and once for AVX-512.
//
//   forward, each row: one pass each for m, for l, and for y
//   backward, each row: one pass each for t and for dx
//
// Of fp32 the pass for l leaves the exponentials in y. 16 bits would round them before the
// division, so there they are computed twice.
#include <type_traits>

#include "kernels/own/by_row.h"
#include "kernels/own/row_vectors.h"

namespace ts::kernels::own {
namespace {

struct SoftmaxRow {
  template <class Number>
  static void forward(const SoftmaxRows& in, Index row) {
    const Number* const x = row_of<Number>(in.x, row, in.width);
    Number* const y = row_of<Number>(in.y, row, in.width);
    const float largest = largest_of(x, in.width);
    if constexpr (std::is_same_v<Number, float>) {
      RowSum sum;
      each_vector(in.width, [&](Index c, int turn, auto lanes) {
        const Vector e = exp(load(x + c, lanes, kLowest) - largest);
        sum.parts[turn] += e;
        store(y + c, e, lanes);
      });
      const float factor = 1 / sum.total();
      each_vector(in.width, [&](Index c, int /*turn*/, auto lanes) {
        store(y + c, load(y + c, lanes) * factor, lanes);
      });
    } else {
      const float factor = 1 / sum_of_exponentials(x, in.width, largest);
      each_vector(in.width, [&](Index c, int /*turn*/, auto lanes) {
        store(y + c, exp(load(x + c, lanes) - largest) * factor, lanes);
      });
    }
  }

  template <class Number>
  static void backward(const SoftmaxRows& in, Index row) {
    const Number* const y = row_of<Number>(in.y, row, in.width);
    const Number* const d_y = row_of<Number>(in.d_y, row, in.width);
    Number* const d_x = row_of<Number>(in.d_x, row, in.width);
    RowSum sum;
    each_vector(in.width, [&](Index c, int turn, auto lanes) {
      sum.parts[turn] += load(y + c, lanes) * load(d_y + c, lanes);
    });
    const float total = sum.total();
    each_vector(in.width, [&](Index c, int /*turn*/, auto lanes) {
      store(d_x + c, load(y + c, lanes) * (load(d_y + c, lanes) - total), lanes);
    });
  }
};

}  // namespace

const SoftmaxKernel TENSORSCOPE_KERNEL(Softmax) = by_row<SoftmaxRow, SoftmaxRows>();

}  // namespace ts::kernels::own
