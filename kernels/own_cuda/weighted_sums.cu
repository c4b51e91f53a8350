// The weighted sum of the exercises, y = (x * w).sum(-1) of x [rows][width], and its gradients.
//
//   forward, a block or a warp a row:  backward:
//     each thread adds the products      dX = dY w, in the same walk over x as
//     of its packs of the row            dW = sum of dY x over rows, in two passes:
//     the warps' sums are added by         a block adds its rows to a partial sum of its own,
//     shuffles, then across warps          a block then adds those of 32 columns
//
// Every sum has its order, so results are the same from run to run. The sum over a block is that of
// Harris 2007 ("Optimizing Parallel Reduction in CUDA"), with shuffles inside a warp.
#include "kernels/own_cuda/weighted_sums.h"

#include "kernels/own_cuda/row_walk.h"

namespace ts::kernels::own_cuda {

template <int count, class Number>
__device__ void weighted_sum_forward_by(const WeightedSum<Number>& s) {
  const int row = row_of_thread();
  if (row >= s.rows) return;  // the whole warp
  const HeldRows<Number, count, 2> rows(s.width, s.x + std::int64_t{row} * s.width, s.w);
  float sum = 0;
  rows.each([&](int, const Pack<Number, count>* of) {
    const auto x = widened(of[0]), w = widened(of[1]);
#pragma unroll
    for (int i = 0; i < count; ++i) sum += x.of[i] * w.of[i];
  });
  sum = sum_of_row<0>(sum);
  if (threadIdx.x == 0) narrow(sum, s.y[row]);
}

template <class Number>
__device__ void weighted_sum_forward(const WeightedSum<Number>& s) {
  if (in_packs<Number>(s.width, s.x, s.w)) {
    weighted_sum_forward_by<kAtOnce<Number>>(s);
  } else {
    weighted_sum_forward_by<1>(s);
  }
}

template <bool packed, class Number>
__device__ void weighted_sum_backward_by(const WeightedSum<Number>& s) {
  using Walk = Columns<packed, Number>;
  const Walk columns(s.width);
  const auto w = widened(columns.load_from(s.w));
  typename Walk::Sums sums;
  each_rows(s.rows_of_block, s.rows, [&](int row, int end) {
    typename Walk::Of x[kRowsAtOnce] = {};
    float d_y[kRowsAtOnce] = {};
#pragma unroll
    for (int k = 0; k < kRowsAtOnce; ++k) {
      const int at = row + k * report::kColumnWarps;
      if (at >= end) continue;
      x[k] = columns.load_from(s.x + std::int64_t{at} * s.width);
      d_y[k] = widen(s.d_y[at]);
    }
    Floats<Walk::kCount> some{};  // of these rows
#pragma unroll
    for (int k = 0; k < kRowsAtOnce; ++k) {
      const int at = row + k * report::kColumnWarps;
      const auto wide = widened(x[k]);
      Floats<Walk::kCount> d_x;
#pragma unroll
      for (int i = 0; i < Walk::kCount; ++i) {
        d_x.of[i] = d_y[k] * w.of[i];
        some.of[i] += d_y[k] * wide.of[i];
      }
      if (at < end) columns.store_to(s.d_x + std::int64_t{at} * s.width, d_x);
    }
#pragma unroll
    for (int i = 0; i < Walk::kCount; ++i) sums[i].add(some.of[i]);
  });
  columns.template put_sums<0>(sums, s.partial + std::int64_t{block_of_rows()} * s.width);
}

template <class Number>
__device__ void weighted_sum_backward(const WeightedSum<Number>& s) {
  if (in_packs<Number>(s.width, s.x, s.w, s.d_x)) {
    weighted_sum_backward_by<true>(s);
  } else {
    weighted_sum_backward_by<false>(s);
  }
}

template <class Number>
__device__ void weighted_sum_add(const WeightedSum<Number>& s) {
  const int blocks = (s.rows + s.rows_of_block - 1) / s.rows_of_block;
  put_sum_of_blocks<0>(sum_of_blocks(s.partial, blocks, s.width), s.width, s.d_w);
}

}  // namespace ts::kernels::own_cuda

TENSORSCOPE_ROW_KERNELS(weighted_sum_forward, rows, WeightedSum)
TENSORSCOPE_ROW_KERNELS(weighted_sum_backward, columns, WeightedSum)
TENSORSCOPE_ROW_KERNELS(weighted_sum_add, sums, WeightedSum)
