// Softmax over rows and its gradient.
//
//   forward, a block or a warp a row:            backward, a block or a warp a row:
//     each thread, of all its numbers x:           s = sum of Y dY over the row
//       m = max(x)                                 dX = Y (dY - s)
//       l = sum of exp(x - m)
//     M = max of the threads' m
//     L = sum of exp(m - M) l of the threads
//     y = exp(x - M) / L
//
// The row is read once, into registers (row_walk.h). What does not fit is read twice, as the
// largest and the sum come from one walk (Milakov and Gimelshein 2018, arXiv 1805.02867, algorithm
// 3): for each pack m' = max(m, x) and l = exp(m - m') l + sum of exp(x - m'). Every sum has its
// order, so results are the same from run to run.
#include "kernels/own_cuda/softmax.h"

#include "kernels/own_cuda/row_walk.h"

namespace ts::kernels::own_cuda {

template <int count, class Number>
__device__ void softmax_forward_by(const Softmax<Number>& s) {
  const int row = row_of_thread();
  if (row >= s.rows) return;  // the whole warp
  const std::int64_t begin = std::int64_t{row} * s.width;
  const HeldRows<Number, count> x(s.width, s.x + begin);
  RunningSum<Number> all;
  all.add(x);
  all.add_threads();
  // In a row without any finite number this is no number, as the formula has it.
  const float factor = 1 / all.sum;
  x.each([&](int c, const Pack<Number, count>* of) {
    Floats<count> y = widened(of[0]);
#pragma unroll
    for (int i = 0; i < count; ++i) y.of[i] = exp_above<Number>(y.of[i], all.largest) * factor;
    store(y, s.y + begin + c);
  });
}

template <class Number>
__device__ void softmax_forward(const Softmax<Number>& s) {
  if (in_packs<Number>(s.width, s.x, s.y)) {
    softmax_forward_by<kAtOnce<Number>>(s);
  } else {
    softmax_forward_by<1>(s);
  }
}

template <int count, class Number>
__device__ void softmax_backward_by(const Softmax<Number>& s) {
  const int row = row_of_thread();
  if (row >= s.rows) return;
  using Packs = const Pack<Number, count>*;
  const std::int64_t begin = std::int64_t{row} * s.width;
  const HeldRows<Number, count, 2> rows(s.width, s.y + begin, s.d_y + begin);
  float along = 0;
  rows.each([&](int, Packs of) {
    const auto y = widened(of[0]), d_y = widened(of[1]);
#pragma unroll
    for (int i = 0; i < count; ++i) along += y.of[i] * d_y.of[i];
  });
  along = sum_of_row<0>(along);
  rows.each([&](int c, Packs of) {
    const auto y = widened(of[0]), d_y = widened(of[1]);
    Floats<count> d_x;
#pragma unroll
    for (int i = 0; i < count; ++i) d_x.of[i] = y.of[i] * (d_y.of[i] - along);
    store(d_x, s.d_x + begin + c);
  });
}

template <class Number>
__device__ void softmax_backward(const Softmax<Number>& s) {
  if (in_packs<Number>(s.width, s.y, s.d_y, s.d_x)) {
    softmax_backward_by<kAtOnce<Number>>(s);
  } else {
    softmax_backward_by<1>(s);
  }
}

}  // namespace ts::kernels::own_cuda

TENSORSCOPE_ROW_KERNELS(softmax_forward, rows, Softmax)
TENSORSCOPE_ROW_KERNELS(softmax_backward, rows, Softmax)
