// The weighted sum of the course (CS336, assignment 2, section 1.3.1): y = sum(x o weight) of each
// row x, in plain loops.
//
//   forward:                          backward:
//     y = sum(x o weight)               dx = dy weight
//                                       dweight += dy x, over the rows
//
// PyTorch's operators write x o weight, as large as x, and read it again. All sums are fp64.
#include "kernels/own/by_row.h"

namespace ts::kernels::own {
namespace {

struct WeightedSumRow {
  template <class Number>
  static void forward(const WeightedSumRows& in, Index row) {
    const double* const weight = sums(in.weight);
    const Number* const x = row_of<Number>(in.x, row, in.width);
    double sum = 0;
    for (Index c = 0; c < in.width; ++c) sum += double{widen(x[c])} * weight[c];
    narrow(sum, static_cast<Number*>(in.y)[row]);
  }

  template <class Number>
  static void backward(const WeightedSumRows& in, Index row) {
    const double* const weight = sums(in.weight);
    double* const d_weight = sums(in.d_weight);
    const double d_y = double{widen(static_cast<const Number*>(in.d_y)[row])};
    for (Index c = 0; c < in.width; ++c) {
      if (in.d_x != nullptr) narrow(d_y * weight[c], row_of<Number>(in.d_x, row, in.width)[c]);
      if (d_weight != nullptr) {
        d_weight[c] += d_y * double{widen(row_of<Number>(in.x, row, in.width)[c])};
      }
    }
  }
};

}  // namespace

const WeightedSumKernel kPortableWeightedSum = by_row<WeightedSumRow, WeightedSumRows>();

}  // namespace ts::kernels::own
