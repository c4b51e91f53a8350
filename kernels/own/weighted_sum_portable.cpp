// The weighted sum of the course (CS336, assignment 2, section 1.3.1): y = sum(x o weight) of each
// row x, in plain loops.
//
//   forward:                          backward:
//     y = sum(x o weight)               dx = dy weight
//                                       dweight += dy x, over the rows
//
// PyTorch's operators write x o weight, as large as x, and read it again. All sums are fp64.
#include "kernels/own/by_element.h"
#include "kernels/own/row_kernels.h"

namespace ts::kernels::own {
namespace {

using Index = std::int64_t;

template <class Number>
void forward_rows(const WeightedSumRows& in) {
  const double* const weight = static_cast<const double*>(in.weight);
  for (Index row = 0; row < in.rows; ++row) {
    const Number* const x = static_cast<const Number*>(in.x) + row * in.width;
    double sum = 0;
    for (Index c = 0; c < in.width; ++c) sum += double{widen(x[c])} * weight[c];
    narrow(sum, static_cast<Number*>(in.y)[row]);
  }
}

template <class Number>
void backward_rows(const WeightedSumRows& in) {
  const double* const weight = static_cast<const double*>(in.weight);
  double* const d_weight = static_cast<double*>(in.d_weight);
  for (Index row = 0; row < in.rows; ++row) {
    const Index first = row * in.width;
    const double d_y = double{widen(static_cast<const Number*>(in.d_y)[row])};
    for (Index c = 0; c < in.width; ++c) {
      if (in.d_x != nullptr) narrow(d_y * weight[c], static_cast<Number*>(in.d_x)[first + c]);
      if (d_weight != nullptr) {
        d_weight[c] += d_y * double{widen(static_cast<const Number*>(in.x)[first + c])};
      }
    }
  }
}

void forward(const WeightedSumRows& in) {
  by_element(in.element, [&]<class Number>(Number /*type*/) { forward_rows<Number>(in); });
}

void backward(const WeightedSumRows& in) {
  by_element(in.element, [&]<class Number>(Number /*type*/) { backward_rows<Number>(in); });
}

}  // namespace

const WeightedSumKernel kPortableWeightedSum = {
    .fp64_sums = true, .forward = forward, .backward = backward};

}  // namespace ts::kernels::own
