// Cross entropy of logits X W^T with targets t, without ever having all logits; the products are
// the library's, between these kernels.
//
//   forward, for each chunk W_c of the classes:    backward, for each chunk W_c:
//     S = X W_c^T                                    S = X W_c^T, again
//     a warp a row:                                  a warp a row:
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
  const int row = row_of_warp();
  if (row >= e.rows) return;  // the whole warp
  const int lane = static_cast<int>(threadIdx.x);
  const Number* logits = e.logits + std::int64_t{row} * e.width;
  RunningSum all;
  // The sums of the chunks before, in one lane.
  if (lane == 0 && e.begins == 0) all = {e.largest[row], e.sums[row]};
#pragma unroll 2
  for (int c = lane * count; c < e.width; c += 32 * count)
    all.add(widened(load<count>(logits + c)));
  all.add_lanes();
  if (lane != 0) return;
  const std::int64_t target = e.targets[row] - e.first;
  float chosen = e.begins != 0 ? 0 : e.losses[row];
  if (target >= 0 && target < e.width) chosen = widen(logits[target]);
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
  const int row = row_of_warp();
  if (row >= e.rows) return;
  Number* logits = e.logits + std::int64_t{row} * e.width;
  const std::int64_t target = e.targets[row] - e.first;
  const float largest = e.largest[row], weight = 1 / e.sums[row];
  const float factor = *e.d_mean / static_cast<float>(e.rows);
#pragma unroll 2
  for (int c = static_cast<int>(threadIdx.x) * count; c < e.width; c += 32 * count) {
    auto of = load<count>(logits + c);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float p = expf(widen(of.of[i]) - largest) * weight;
      narrow((c + i == target ? p - 1 : p) * factor, of.of[i]);
    }
    store<count>(of, logits + c);
  }
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

#define TENSORSCOPE_ENTROPY(name, Number, type, threads)                                  \
  TENSORSCOPE_KERNEL(name##_##type, ts::kernels::own_cuda::CrossEntropy<Number>, threads, \
                     ts::kernels::own_cuda::name<Number>)
#define TENSORSCOPE_ENTROPIES(Number, type)                      \
  TENSORSCOPE_ENTROPY(cross_entropy_forward, Number, type, 128)  \
  TENSORSCOPE_ENTROPY(cross_entropy_mean, Number, type, 1024)    \
  TENSORSCOPE_ENTROPY(cross_entropy_backward, Number, type, 128) \
  TENSORSCOPE_ENTROPY(cross_entropy_add, Number, type, 128)
TENSORSCOPE_ENTROPIES(float, fp32)
TENSORSCOPE_ENTROPIES(ts::kernels::own_cuda::Bf16, bf16)
TENSORSCOPE_ENTROPIES(ts::kernels::own_cuda::Fp16, fp16)
