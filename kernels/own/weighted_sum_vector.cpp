// The weighted sum, the formulas at the top of weighted_sum_portable.cpp, in vectors of fp32.
// Compiled once for AVX2 and once for AVX-512.
//
//   forward, each row: one pass over x, with four partial sums
//   backward, each row: one pass that reads x, writes dx and adds to dweight
//
// Each number of x is read once from memory; weight and dweight stay in the cache from row to row.
// The caller gives each block of rows a dweight of its own and adds these up.
#include "kernels/own/by_element.h"
#include "kernels/own/row_kernels.h"
#include "kernels/own/row_vectors.h"

namespace ts::kernels::own {
namespace {

template <class Number>
void forward_rows(const WeightedSumRows& in) {
  const float* const weight = static_cast<const float*>(in.weight);
  for (Index row = 0; row < in.rows; ++row) {
    const Number* const x = static_cast<const Number*>(in.x) + row * in.width;
    RowSum sum;
    each_vector(in.width, [&](Index c, int turn, auto lanes) {
      sum.parts[turn] += load(x + c, lanes) * load(weight + c, lanes);
    });
    narrow(sum.total(), static_cast<Number*>(in.y)[row]);
  }
}

template <class Number>
void backward_rows(const WeightedSumRows& in) {
  const float* const weight = static_cast<const float*>(in.weight);
  float* const d_weight = static_cast<float*>(in.d_weight);
  for (Index row = 0; row < in.rows; ++row) {
    const Index first = row * in.width;
    const Number* const x = static_cast<const Number*>(in.x) + first;
    Number* const d_x = in.d_x != nullptr ? static_cast<Number*>(in.d_x) + first : nullptr;
    const float d_y = widen(static_cast<const Number*>(in.d_y)[row]);
    each_vector(in.width, [&](Index c, int /*turn*/, auto lanes) {
      if (d_x != nullptr) store(d_x + c, d_y * load(weight + c, lanes), lanes);
      if (d_weight != nullptr) {
        store(d_weight + c, load(d_weight + c, lanes) + d_y * load(x + c, lanes), lanes);
      }
    });
  }
}

void forward(const WeightedSumRows& in) {
  by_element(in.element, [&]<class Number>(Number /*type*/) { forward_rows<Number>(in); });
}

void backward(const WeightedSumRows& in) {
  by_element(in.element, [&]<class Number>(Number /*type*/) { backward_rows<Number>(in); });
}

}  // namespace

const WeightedSumKernel TENSORSCOPE_KERNEL(WeightedSum) = {
    .fp64_sums = false, .forward = forward, .backward = backward};

}  // namespace ts::kernels::own
