// The weighted sum of the exercises, y = (x * w).sum(-1) of x [rows][width], and its gradients.
//
//   forward, a warp a row:             backward:
//     each lane adds every 32nd          dX = dY w, in the same walk over x as
//     product of the row                 dW = sum of dY x over rows, in two passes:
//     the lanes' sums are added            a block adds its rows to a partial sum of its own,
//     by five shuffles                     a thread a column then adds the blocks' sums
//
// Every sum has its order, so results are the same from run to run. The sum over a warp is that of
// Harris 2007 ("Optimizing Parallel Reduction in CUDA"), with shuffles instead of shared memory.
#include "kernels/own_cuda/weighted_sums.h"

#include "kernels/own_cuda/row_walk.h"

namespace ts::kernels::own_cuda {

template <int count, class Number>
__device__ void weighted_sum_forward_by(const WeightedSum<Number>& s) {
  const int row = row_of_warp();
  if (row >= s.rows) return;  // the whole warp
  const Number* const x = s.x + std::int64_t{row} * s.width;
  float sum = 0;
#pragma unroll 4
  for (int c = static_cast<int>(threadIdx.x) * count; c < s.width; c += 32 * count) {
    const auto of = load<count>(x + c), w = load<count>(s.w + c);
#pragma unroll
    for (int i = 0; i < count; ++i) sum += widen(of.of[i]) * widen(w.of[i]);
  }
  sum = warp_sum(sum);
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

// A thread a column, and a block the rows from blockIdx.y * rows_of_block on.
template <class Number>
__device__ void weighted_sum_backward(const WeightedSum<Number>& s) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= s.width) return;
  const int first = static_cast<int>(blockIdx.y) * s.rows_of_block;
  const int end = min(first + s.rows_of_block, s.rows);
  const float w = widen(s.w[column]);
  ColumnSum sum;
#pragma unroll 8
  for (int row = first; row < end; ++row) {
    const std::int64_t place = std::int64_t{row} * s.width + column;
    const float d_y = widen(s.d_y[row]);
    narrow(d_y * w, s.d_x[place]);
    sum.add(d_y * widen(s.x[place]));
  }
  s.partial[blockIdx.y * s.width + column] = sum.sum;
}

template <class Number>
__device__ void weighted_sum_add(const WeightedSum<Number>& s) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= s.width) return;
  const int blocks = (s.rows + s.rows_of_block - 1) / s.rows_of_block;
  ColumnSum sum;
#pragma unroll 8
  for (int block = 0; block < blocks; ++block) sum.add(s.partial[block * s.width + column]);
  narrow(sum.sum, s.d_w[column]);
}

}  // namespace ts::kernels::own_cuda

#define TENSORSCOPE_WEIGHTED_SUM(name, Number, type)                                 \
  TENSORSCOPE_KERNEL(name##_##type, ts::kernels::own_cuda::WeightedSum<Number>, 128, \
                     ts::kernels::own_cuda::name<Number>)
#define TENSORSCOPE_WEIGHTED_SUMS(Number, type)                 \
  TENSORSCOPE_WEIGHTED_SUM(weighted_sum_forward, Number, type)  \
  TENSORSCOPE_WEIGHTED_SUM(weighted_sum_backward, Number, type) \
  TENSORSCOPE_WEIGHTED_SUM(weighted_sum_add, Number, type)
TENSORSCOPE_WEIGHTED_SUMS(float, fp32)
TENSORSCOPE_WEIGHTED_SUMS(ts::kernels::own_cuda::Bf16, bf16)
TENSORSCOPE_WEIGHTED_SUMS(ts::kernels::own_cuda::Fp16, fp16)
