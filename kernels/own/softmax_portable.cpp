// Softmax of rows x, shifted by its maximum so that no exponential overflows (Milakov and
// Gimelshein 2018, arXiv 1805.02867, algorithm 2), in plain loops.
//
//   forward:                          backward:
//     m = max(x)                        t = sum(y o dy)
//     l = sum(exp(x - m))               dx = y o (dy - t)
//     y = exp(x - m) / l
//
// As in PyTorch a row with NaN or infinity, or of minus infinity alone, becomes NaN. The backward
// needs y only. All sums are fp64.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/own/by_row.h"

namespace ts::kernels::own {
namespace {

struct SoftmaxRow {
  template <class Number>
  static void forward(const SoftmaxRows& in, Index row) {
    const Number* const x = row_of<Number>(in.x, row, in.width);
    Number* const y = row_of<Number>(in.y, row, in.width);
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (Index c = 0; c < in.width; ++c) largest = std::max(largest, double{widen(x[c])});
    for (Index c = 0; c < in.width; ++c) sum += std::exp(double{widen(x[c])} - largest);
    for (Index c = 0; c < in.width; ++c) {
      narrow(std::exp(double{widen(x[c])} - largest) / sum, y[c]);
    }
  }

  template <class Number>
  static void backward(const SoftmaxRows& in, Index row) {
    const Number* const y = row_of<Number>(in.y, row, in.width);
    const Number* const d_y = row_of<Number>(in.d_y, row, in.width);
    Number* const d_x = row_of<Number>(in.d_x, row, in.width);
    double sum = 0;
    for (Index c = 0; c < in.width; ++c) sum += double{widen(y[c])} * double{widen(d_y[c])};
    for (Index c = 0; c < in.width; ++c) {
      narrow(double{widen(y[c])} * (double{widen(d_y[c])} - sum), d_x[c]);
    }
  }
};

}  // namespace

const SoftmaxKernel kPortableSoftmax = by_row<SoftmaxRow, SoftmaxRows>();

}  // namespace ts::kernels::own
