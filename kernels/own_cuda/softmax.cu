// Softmax over rows and its gradient.
//
//   forward, a warp a row:                       backward, a warp a row:
//     each lane, of every 32nd number:             s = sum of Y dY over the row
//       m' = max(m, x)                             dX = Y (dY - s)
//       l = exp(m - m') l + exp(x - m'), m = m'
//     M = max of the lanes' m
//     L = sum of exp(m - M) l of the lanes
//     y = exp(x - M) / L
//
// The largest and the sum come from one walk over the row (Milakov and Gimelshein 2018, arXiv
// 1805.02867, algorithm 3), where three were needed; a number needs one exponential in it, since
// that of the largest so far is 1. The second walk finds the row in a cache, unless it is long.
// Every sum has its order, so results are the same from run to run.
#include "kernels/own_cuda/softmax.h"

#include "kernels/own_cuda/device.h"

namespace ts::kernels::own_cuda {

template <class Number>
__device__ void softmax_forward(const Softmax<Number>& s) {
  const int row = row_of_warp();
  if (row >= s.rows) return;  // the whole warp
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t begin = std::int64_t{row} * s.width;
  RunningSum all;
#pragma unroll 4
  for (int c = lane; c < s.width; c += 32) all.add(widen(s.x[begin + c]));
  all.add_lanes();
  // In a row without any finite number this is no number, as the formula has it.
  const float factor = 1 / all.sum;
#pragma unroll 4
  for (int c = lane; c < s.width; c += 32) {
    narrow(expf(widen(s.x[begin + c]) - all.largest) * factor, s.y[begin + c]);
  }
}

template <class Number>
__device__ void softmax_backward(const Softmax<Number>& s) {
  const int row = row_of_warp();
  if (row >= s.rows) return;
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t begin = std::int64_t{row} * s.width;
  float along = 0;
#pragma unroll 4
  for (int c = lane; c < s.width; c += 32) along += widen(s.y[begin + c]) * widen(s.d_y[begin + c]);
  along = warp_sum(along);
#pragma unroll 4
  for (int c = lane; c < s.width; c += 32) {
    narrow(widen(s.y[begin + c]) * (widen(s.d_y[begin + c]) - along), s.d_x[begin + c]);
  }
}

}  // namespace ts::kernels::own_cuda

#define TENSORSCOPE_SOFTMAX(name, Number, type)                                  \
  TENSORSCOPE_KERNEL(name##_##type, ts::kernels::own_cuda::Softmax<Number>, 128, \
                     ts::kernels::own_cuda::name<Number>)
#define TENSORSCOPE_SOFTMAXES(Number, type)          \
  TENSORSCOPE_SOFTMAX(softmax_forward, Number, type) \
  TENSORSCOPE_SOFTMAX(softmax_backward, Number, type)
TENSORSCOPE_SOFTMAXES(float, fp32)
TENSORSCOPE_SOFTMAXES(ts::kernels::own_cuda::Bf16, bf16)
TENSORSCOPE_SOFTMAXES(ts::kernels::own_cuda::Fp16, fp16)
