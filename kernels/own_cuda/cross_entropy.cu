// Cross entropy of logits X W^T with targets t, without ever having all logits; the products are
// the library's, between these kernels.
//
//   forward, for each chunk W_c of the classes:    backward, for each chunk W_c:
//     S = X W_c^T                                    S = X W_c^T, again
//     a block or a warp a row:                       a block or a warp a row:
//       m' = max(m, S)                                 S = (exp(S - m) / l - [class = t]) d / rows
//       l = exp(m - m') l + sum of exp(S - m')       dW_c = S^T X
//       z = S of class t, if it is in the chunk      dX += S W_c
//       m = m'                                       (of 16 bits: dX is added up in fp32)
//   then loss = mean of m - z + log l
//
// The logits are made twice, so what is kept from the forward is m and l (apart: m + log l would
// round l away where logits are large), and a chunk is all that ever exists of them (Wijmans et al.
// 2024, "Cut Your Losses", arXiv 2411.09009, algorithms 2 and 3, with the tiles in global memory).
// The running sum is Milakov and Gimelshein 2018. Every sum has its order, so results are the same
// from run to run.
#include "kernels/own_cuda/cross_entropy.h"

#include "kernels/own_cuda/row_walk.h"

namespace ts::kernels::own_cuda {

template <int count, class Number>
__device__ void cross_entropy_forward_by(const CrossEntropy<Number>& e) {
  const int row = row_of_thread();
  if (row >= e.rows) return;  // the whole warp
  const Number* const row_of_logits = e.logits + std::int64_t{row} * e.width;
  const HeldRows<Number, count> logits(e.width, row_of_logits);
  const bool first = threadIdx.x == 0;
  RunningSum<Number> all;
  // The sums of the chunks before, in one thread.
  if (first && e.begins == 0) {
    all.largest = e.largest[row];
    all.sum = e.sums[row];
  }
  all.add(logits);
  all.add_threads();
  if (!first) return;
  const std::int64_t target = e.targets[row] - e.first;
  float chosen = e.begins != 0 ? 0 : e.losses[row];
  if (target >= 0 && target < e.width) chosen = widen(row_of_logits[target]);
  e.largest[row] = all.largest;
  e.sums[row] = all.sum;
  e.losses[row] = e.ends != 0 ? all.largest - chosen + logf(all.sum) : chosen;
}

template <class Number>
__device__ void cross_entropy_forward(const CrossEntropy<Number>& e) {
  if (in_packs<Number>(e.width, e.logits)) {
    cross_entropy_forward_by<kAtOnce<Number>>(e);
  } else {
    cross_entropy_forward_by<1>(e);
  }
}

// One block.
constexpr int kMeanThreads = report::most_threads_of(report::RowLaunch::one);
template <class Number>
__device__ void cross_entropy_mean(const CrossEntropy<Number>& e) {
  __shared__ float of_warps[kMeanThreads / 32];
  const int warp = static_cast<int>(threadIdx.y), lane = static_cast<int>(threadIdx.x);
  float sum = 0;
  for (int row = warp * 32 + lane; row < e.rows; row += kMeanThreads) sum += e.losses[row];
  sum = warp_sum(sum);
  if (lane == 0) of_warps[warp] = sum;
  __syncthreads();
  if (warp != 0) return;
  sum = warp_sum(of_warps[lane]);
  if (lane == 0) *e.mean = sum / static_cast<float>(e.rows);
}

template <int count, class Number>
__device__ void cross_entropy_backward_by(const CrossEntropy<Number>& e) {
  const int row = row_of_thread();
  if (row >= e.rows) return;
  Number* const begin = e.logits + std::int64_t{row} * e.width;
  const HeldRows<Number, count> logits(e.width, begin);
  const std::int64_t target = e.targets[row] - e.first;
  const float largest = e.largest[row], weight = 1 / e.sums[row];
  const float factor = *e.d_mean / static_cast<float>(e.rows);
  logits.each([&](int c, const Pack<Number, count>* of) {
    Floats<count> d = widened(of[0]);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float p = exp_above<Number>(d.of[i], largest) * weight;
      d.of[i] = (c + i == target ? p - 1 : p) * factor;
    }
    store(d, begin + c);
  });
}

template <class Number>
__device__ void cross_entropy_backward(const CrossEntropy<Number>& e) {
  if (in_packs<Number>(e.width, e.logits)) {
    cross_entropy_backward_by<kAtOnce<Number>>(e);
  } else {
    cross_entropy_backward_by<1>(e);
  }
}

// A thread a number of dX.
template <class Number>
__device__ void cross_entropy_add(const CrossEntropy<Number>& e) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= std::int64_t{e.rows} * e.width) return;
  const float part = widen(e.d_x[i]);
  const float sum = e.begins != 0 ? part : e.d_x_sum[i] + part;
  if (e.ends != 0) {
    narrow(sum, e.d_x[i]);
  } else {
    e.d_x_sum[i] = sum;
  }
}

}  // namespace ts::kernels::own_cuda

TENSORSCOPE_ROW_KERNELS(cross_entropy_forward, rows, CrossEntropy)
TENSORSCOPE_ROW_KERNELS(cross_entropy_mean, one, CrossEntropy)
TENSORSCOPE_ROW_KERNELS(cross_entropy_backward, rows, CrossEntropy)
TENSORSCOPE_ROW_KERNELS(cross_entropy_add, numbers, CrossEntropy)
