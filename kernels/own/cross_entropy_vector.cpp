// Cross entropy, the formulas at the top of cross_entropy_portable.cpp, in vectors of fp32.
// Compiled once for AVX2 and once for AVX-512.
//
//   each row: one pass each for m, for l, and for the gradient
//
// A row of logits has just been written by the product before and is still in the cache. The
// gradient of the target is p - 1 in fp32, rounded once.
#include "kernels/own/by_element.h"
#include "kernels/own/row_kernels.h"
#include "kernels/own/row_vectors.h"

namespace ts::kernels::own {
namespace {

template <class Number, bool gradient>
void rows_of(const CrossEntropyRows& in) {
  for (Index row = 0; row < in.rows; ++row) {
    Number* const x = static_cast<Number*>(in.logits) + row * in.width;
    Number* const target = x + in.targets[row];
    const float logit = widen(*target);
    const float largest = largest_of(x, in.width);
    const float sum = sum_of_exponentials(x, in.width, largest);
    in.loss[row] = double{__builtin_logf(sum)} + (double{largest} - double{logit});
    if (!gradient) continue;
    const float scale = static_cast<float>(in.scale), factor = scale / sum;
    each_vector(in.width, [&](Index c, int /*turn*/, auto lanes) {
      store(x + c, exp(load(x + c, lanes) - largest) * factor, lanes);
    });
    narrow((exp(all(logit - largest))[0] / sum - 1) * scale, *target);
  }
}

void forward(const CrossEntropyRows& in) {
  by_element(in.element, [&]<class Number>(Number /*type*/) { rows_of<Number, false>(in); });
}

void backward(const CrossEntropyRows& in) {
  by_element(in.element, [&]<class Number>(Number /*type*/) { rows_of<Number, true>(in); });
}

}  // namespace

const CrossEntropyKernel TENSORSCOPE_KERNEL(CrossEntropy) = {
    .fp64_sums = false, .forward = forward, .backward = backward};

}  // namespace ts::kernels::own
