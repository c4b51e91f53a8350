// Cross entropy, the formulas at the top of cross_entropy_portable.cpp, in vectors of fp32.
// Compiled once for AVX2 and once for AVX-512.
//
//   each row: one pass each for m, for l, and for the gradient
//
// A row of logits has just been written by the product before and is still in the cache. The
// gradient of the target is p - 1 in fp32, rounded once.
#include "kernels/own/by_row.h"
#include "kernels/own/row_vectors.h"

namespace ts::kernels::own {
namespace {

struct CrossEntropyRow {
  template <class Number, bool gradient>
  static void compute(const CrossEntropyRows& in, Index row) {
    Number* const x = row_of<Number>(in.logits, row, in.width);
    Number* const target = x + in.targets[row];
    const float logit = widen(*target);
    const float largest = largest_of(x, in.width);
    const float sum = sum_of_exponentials(x, in.width, largest);
    in.loss[row] = double{__builtin_logf(sum)} + (double{largest} - double{logit});
    if (!gradient) return;
    const float scale = static_cast<float>(in.scale), factor = scale / sum;
    each_vector(in.width, [&](Index c, int /*turn*/, auto lanes) {
      store(x + c, exp(load(x + c, lanes) - largest) * factor, lanes);
    });
    narrow((exp(all(logit - largest))[0] / sum - 1) * scale, *target);
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

const CrossEntropyKernel TENSORSCOPE_KERNEL(CrossEntropy) =
    by_row<CrossEntropyRow, CrossEntropyRows>();

}  // namespace ts::kernels::own
