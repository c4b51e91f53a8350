// Softmax, the formulas at the top of softmax_portable.cpp, in vectors of fp32. Compiled once for
// AVX2 and once for AVX-512.
//
//   forward, each row: one pass each for m, for l, and for y
//   backward, each row: one pass each for t and for dx
//
// Of fp32 the pass for l leaves the exponentials in y. 16 bits would round them before the
// division, so there they are computed twice.
#include "kernels/own/by_element.h"
#include "kernels/own/row_kernels.h"
#include "kernels/own/row_vectors.h"

namespace ts::kernels::own {
namespace {

void forward_row(const float* x, float* y, Index n) {
  const float largest = largest_of(x, n);
  RowSum sum;
  each_vector(n, [&](Index c, int turn, auto lanes) {
    const Vector e = exp(load(x + c, lanes, kLowest) - largest);
    sum.parts[turn] += e;
    store(y + c, e, lanes);
  });
  const float factor = 1 / sum.total();
  each_vector(n, [&](Index c, int /*turn*/, auto lanes) {
    store(y + c, load(y + c, lanes) * factor, lanes);
  });
}

template <class Number>
void forward_row(const Number* x, Number* y, Index n) {
  const float largest = largest_of(x, n);
  const float factor = 1 / sum_of_exponentials(x, n, largest);
  each_vector(n, [&](Index c, int /*turn*/, auto lanes) {
    store(y + c, exp(load(x + c, lanes) - largest) * factor, lanes);
  });
}

template <class Number>
void backward_row(const Number* y, const Number* d_y, Number* d_x, Index n) {
  RowSum sum;
  each_vector(n, [&](Index c, int turn, auto lanes) {
    sum.parts[turn] += load(y + c, lanes) * load(d_y + c, lanes);
  });
  const float total = sum.total();
  each_vector(n, [&](Index c, int /*turn*/, auto lanes) {
    store(d_x + c, load(y + c, lanes) * (load(d_y + c, lanes) - total), lanes);
  });
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

const SoftmaxKernel TENSORSCOPE_KERNEL(Softmax) = {
    .fp64_sums = false, .forward = forward, .backward = backward};

}  // namespace ts::kernels::own
