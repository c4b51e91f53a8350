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

#include "kernels/own/by_element.h"
#include "kernels/own/row_kernels.h"

namespace ts::kernels::own {
namespace {

using Index = std::int64_t;

template <class Number>
void forward_row(const Number* x, Number* y, Index n) {
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (Index c = 0; c < n; ++c) largest = std::max(largest, double{widen(x[c])});
  for (Index c = 0; c < n; ++c) sum += std::exp(double{widen(x[c])} - largest);
  for (Index c = 0; c < n; ++c) narrow(std::exp(double{widen(x[c])} - largest) / sum, y[c]);
}

template <class Number>
void backward_row(const Number* y, const Number* d_y, Number* d_x, Index n) {
  double sum = 0;
  for (Index c = 0; c < n; ++c) sum += double{widen(y[c])} * double{widen(d_y[c])};
  for (Index c = 0; c < n; ++c) {
    narrow(double{widen(y[c])} * (double{widen(d_y[c])} - sum), d_x[c]);
  }
}

void forward(const SoftmaxRows& in) {
  by_element(in.element, [&]<class Number>(Number /*type*/) {
    for (Index row = 0; row < in.rows; ++row) {
      const Index first = row * in.width;
      forward_row(static_cast<const Number*>(in.x) + first, static_cast<Number*>(in.y) + first,
                  in.width);
    }
  });
}

void backward(const SoftmaxRows& in) {
  by_element(in.element, [&]<class Number>(Number /*type*/) {
    for (Index row = 0; row < in.rows; ++row) {
      const Index first = row * in.width;
      backward_row(static_cast<const Number*>(in.y) + first,
                   static_cast<const Number*>(in.d_y) + first, static_cast<Number*>(in.d_x) + first,
                   in.width);
    }
  });
}

}  // namespace

const SoftmaxKernel kPortableSoftmax = {
    .fp64_sums = true, .forward = forward, .backward = backward};

}  // namespace ts::kernels::own
