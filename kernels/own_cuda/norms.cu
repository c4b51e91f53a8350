// RMSNorm (Zhang and Sennrich 2019, equation 4) and LayerNorm (Ba et al. 2016, equation 3) over
// rows, with their gradients.
//
//   forward, a warp a row:                   backward, a warp a row:
//     mean = sum x / width (LayerNorm)         n = (x - mean) scale, g = dY w
//     variance = sum (x - mean)^2 / width      dX = scale (g - mean(g) - n mean(g n))
//     scale = 1 / sqrt(variance + epsilon)   and of the weights, in two passes:
//     y = (x - mean) scale w + b               a block adds its rows of dY n to a partial sum,
//                                              a thread a column then adds the blocks' sums
//
// RMSNorm is the same without means. A row is read again for each sum: it is in the L1 cache. Each
// sum has its order, so results are the same from run to run.
#include "kernels/own_cuda/norms.h"

#include "kernels/own_cuda/device.h"

namespace ts::kernels::own_cuda {

template <class Number>
__device__ void norm_forward(const Norm<Number>& n) {
  const int row = row_of_warp();
  if (row >= n.rows) return;  // the whole warp
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t begin = std::int64_t{row} * n.width;
  const auto width = static_cast<float>(n.width);
  float mean = 0;
  if (n.centred != 0) {
    for (int c = lane; c < n.width; c += 32) mean += widen(n.x[begin + c]);
    mean = warp_sum(mean) / width;
  }
  float squares = 0;
  for (int c = lane; c < n.width; c += 32) {
    const float x = widen(n.x[begin + c]) - mean;
    squares += x * x;
  }
  const float scale = 1 / sqrtf(warp_sum(squares) / width + n.epsilon);
  for (int c = lane; c < n.width; c += 32) {
    const float y = (widen(n.x[begin + c]) - mean) * scale * widen(n.w[c]);
    narrow(n.b != nullptr ? y + widen(n.b[c]) : y, n.y[begin + c]);
  }
  if (lane != 0) return;
  n.scale[row] = scale;
  if (n.centred != 0) n.mean[row] = mean;
}

template <class Number>
__device__ void norm_backward(const Norm<Number>& n) {
  const int row = row_of_warp();
  if (row >= n.rows) return;
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t begin = std::int64_t{row} * n.width;
  const auto width = static_cast<float>(n.width);
  const float scale = n.scale[row], mean = n.centred != 0 ? n.mean[row] : 0;
  float sum = 0, along = 0;  // of g, and of g times the normalised row
  for (int c = lane; c < n.width; c += 32) {
    const float g = widen(n.d_y[begin + c]) * widen(n.w[c]);
    sum += g;
    along += g * (widen(n.x[begin + c]) - mean) * scale;
  }
  sum = n.centred != 0 ? warp_sum(sum) / width : 0;
  along = warp_sum(along) / width;
  for (int c = lane; c < n.width; c += 32) {
    const float g = widen(n.d_y[begin + c]) * widen(n.w[c]);
    const float normalised = (widen(n.x[begin + c]) - mean) * scale;
    narrow(scale * (g - sum - normalised * along), n.d_x[begin + c]);
  }
}

// A thread a column, and a block the rows from blockIdx.y * rows_of_block on.
template <class Number>
__device__ void norm_backward_weights(const Norm<Number>& n) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= n.width) return;
  const int first = static_cast<int>(blockIdx.y) * n.rows_of_block;
  const int end = min(first + n.rows_of_block, n.rows);
  float of_w = 0, of_b = 0;
  for (int row = first; row < end; ++row) {
    const std::int64_t place = std::int64_t{row} * n.width + column;
    const float d_y = widen(n.d_y[place]), mean = n.centred != 0 ? n.mean[row] : 0;
    of_w += d_y * (widen(n.x[place]) - mean) * n.scale[row];
    of_b += d_y;
  }
  n.partial_w[blockIdx.y * n.width + column] = of_w;
  if (n.partial_b != nullptr) n.partial_b[blockIdx.y * n.width + column] = of_b;
}

template <class Number>
__device__ void norm_add(const Norm<Number>& n) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= n.width) return;
  const int blocks = (n.rows + n.rows_of_block - 1) / n.rows_of_block;
  float of_w = 0, of_b = 0;
  for (int block = 0; block < blocks; ++block) {
    of_w += n.partial_w[block * n.width + column];
    if (n.partial_b != nullptr) of_b += n.partial_b[block * n.width + column];
  }
  narrow(of_w, n.d_w[column]);
  if (n.d_b != nullptr) narrow(of_b, n.d_b[column]);
}

}  // namespace ts::kernels::own_cuda

#define TENSORSCOPE_NORM(name, Number, type)                                  \
  TENSORSCOPE_KERNEL(name##_##type, ts::kernels::own_cuda::Norm<Number>, 128, \
                     ts::kernels::own_cuda::name<Number>)
#define TENSORSCOPE_NORMS(Number, type)                 \
  TENSORSCOPE_NORM(norm_forward, Number, type)          \
  TENSORSCOPE_NORM(norm_backward, Number, type)         \
  TENSORSCOPE_NORM(norm_backward_weights, Number, type) \
  TENSORSCOPE_NORM(norm_add, Number, type)
TENSORSCOPE_NORMS(float, fp32)
TENSORSCOPE_NORMS(ts::kernels::own_cuda::Bf16, bf16)
TENSORSCOPE_NORMS(ts::kernels::own_cuda::Fp16, fp16)
