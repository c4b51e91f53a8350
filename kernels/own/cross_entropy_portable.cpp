// Cross entropy of rows x of logits with targets t, in plain loops. The gradient takes the place of
// the logits (Hsu et al. 2024, Liger Kernel, arXiv 2410.10989, section 3.2), so that logits need
// not be kept for the backward, and are never written as log-probabilities.
//
//   m = max(x)
//   l = sum(exp(x - m))
//   loss = log(l) + m - x[t]
//   x = exp(x - m) / l, x[t] -= 1      the gradient of the loss, with `backward`; times scale
//
// All sums are fp64.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/own/by_row.h"

namespace ts::kernels::own {
namespace {

struct CrossEntropyRow {
  template <class Number, bool gradient>
  static void compute(const CrossEntropyRows& in, Index row) {
    Number* const x = row_of<Number>(in.logits, row, in.width);
    const Index target = in.targets[row];
    const double logit = double{widen(x[target])};
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (Index c = 0; c < in.width; ++c) largest = std::max(largest, double{widen(x[c])});
    for (Index c = 0; c < in.width; ++c) sum += std::exp(double{widen(x[c])} - largest);
    in.loss[row] = std::log(sum) + (largest - logit);
    if (!gradient) return;
    for (Index c = 0; c < in.width; ++c) {
      const double p = std::exp(double{widen(x[c])} - largest) / sum;
      narrow((c == target ? p - 1 : p) * in.scale, x[c]);
    }
  }

  template <class Number>
  static void forward(const CrossEntropyRows& in, Index row) {
    compute<Number, false>(in, row);
  }
  template <class Number>
  static void backward(const CrossEntropyRows& in, Index row) {
    compute<Number, true>(in, row);
  }
};

}  // namespace

const CrossEntropyKernel kPortableCrossEntropy = by_row<CrossEntropyRow, CrossEntropyRows>();

}  // namespace ts::kernels::own
