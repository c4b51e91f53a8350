// Softmax over rows and its gradient.
//
//   forward, a warp a row:                       backward, a warp a row:
//     each lane, of each of its packs x:           s = sum of Y dY over the row
//       m' = max(m, x)                             dX = Y (dY - s)
//       l = exp(m - m') l + sum of exp(x - m'), m = m'
//     M = max of the lanes' m
//     L = sum of exp(m - M) l of the lanes
//     y = exp(x - M) / L
//
// The largest and the sum come from one walk over the row (Milakov and Gimelshein 2018, arXiv
// 1805.02867, algorithm 3), where three were needed; a pack needs one exponential in it besides
// those of its numbers. The second walk finds the row in a cache, unless it is long. Every sum has
// its order, so results are the same from run to run.
#include "kernels/own_cuda/softmax.h"

#include "kernels/own_cuda/row_walk.h"

namespace ts::kernels::own_cuda {

template <int count, class Number>
__device__ void softmax_forward_by(const Softmax<Number>& s) {
  const int row = row_of_warp();
  if (row >= s.rows) return;  // the whole warp
  const int first = static_cast<int>(threadIdx.x) * count;
  const std::int64_t begin = std::int64_t{row} * s.width;
  RunningSum all;
#pragma unroll 2
  for (int c = first; c < s.width; c += 32 * count) all.add(widened(load<count>(s.x + begin + c)));
  all.add_lanes();
  // In a row without any finite number this is no number, as the formula has it.
  const float factor = 1 / all.sum;
#pragma unroll 2
  for (int c = first; c < s.width; c += 32 * count) {
    const auto x = load<count>(s.x + begin + c);
    Pack<Number, count> y;
#pragma unroll
    for (int i = 0; i < count; ++i) narrow(expf(widen(x.of[i]) - all.largest) * factor, y.of[i]);
    store<count>(y, s.y + begin + c);
  }
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
  const int row = row_of_warp();
  if (row >= s.rows) return;
  const int first = static_cast<int>(threadIdx.x) * count;
  const std::int64_t begin = std::int64_t{row} * s.width;
  float along = 0;
#pragma unroll 2
  for (int c = first; c < s.width; c += 32 * count) {
    const auto y = load<count>(s.y + begin + c), d_y = load<count>(s.d_y + begin + c);
#pragma unroll
    for (int i = 0; i < count; ++i) along += widen(y.of[i]) * widen(d_y.of[i]);
  }
  along = warp_sum(along);
#pragma unroll 2
  for (int c = first; c < s.width; c += 32 * count) {
    const auto y = load<count>(s.y + begin + c), d_y = load<count>(s.d_y + begin + c);
    Pack<Number, count> d_x;
#pragma unroll
    for (int i = 0; i < count; ++i) narrow(widen(y.of[i]) * (widen(d_y.of[i]) - along), d_x.of[i]);
    store<count>(d_x, s.d_x + begin + c);
  }
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

#define TENSORSCOPE_SOFTMAX(name, Number, type)                                  \
  TENSORSCOPE_KERNEL(name##_##type, ts::kernels::own_cuda::Softmax<Number>, 128, \
                     ts::kernels::own_cuda::name<Number>)
#define TENSORSCOPE_SOFTMAXES(Number, type)          \
  TENSORSCOPE_SOFTMAX(softmax_forward, Number, type) \
  TENSORSCOPE_SOFTMAX(softmax_backward, Number, type)
TENSORSCOPE_SOFTMAXES(float, fp32)
TENSORSCOPE_SOFTMAXES(ts::kernels::own_cuda::Bf16, bf16)
TENSORSCOPE_SOFTMAXES(ts::kernels::own_cuda::Fp16, fp16)
