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

#include "kernels/own/by_element.h"
#include "kernels/own/row_kernels.h"

namespace ts::kernels::own {
namespace {

using Index = std::int64_t;

template <class Number, bool gradient>
void rows_of(const CrossEntropyRows& in) {
  for (Index row = 0; row < in.rows; ++row) {
    Number* const x = static_cast<Number*>(in.logits) + row * in.width;
    const Index target = in.targets[row];
    const double logit = double{widen(x[target])};
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (Index c = 0; c < in.width; ++c) largest = std::max(largest, double{widen(x[c])});
    for (Index c = 0; c < in.width; ++c) sum += std::exp(double{widen(x[c])} - largest);
    in.loss[row] = std::log(sum) + (largest - logit);
    if (!gradient) continue;
    for (Index c = 0; c < in.width; ++c) {
      const double p = std::exp(double{widen(x[c])} - largest) / sum;
      narrow((c == target ? p - 1 : p) * in.scale, x[c]);
    }
  }
}

void forward(const CrossEntropyRows& in) {
  by_element(in.element, [&]<class Number>(Number /*type*/) { rows_of<Number, false>(in); });
}

void backward(const CrossEntropyRows& in) {
  by_element(in.element, [&]<class Number>(Number /*type*/) { rows_of<Number, true>(in); });
}

}  // namespace

const CrossEntropyKernel kPortableCrossEntropy = {
    .fp64_sums = true, .forward = forward, .backward = backward};

}  // namespace ts::kernels::own
