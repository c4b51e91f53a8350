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

#include "kernels/own_cuda/row_walk.h"

namespace ts::kernels::own_cuda {

template <int count, class Number>
__device__ void norm_forward_by(const Norm<Number>& n) {
  const int row = row_of_warp();
  if (row >= n.rows) return;  // the whole warp
  const int first = static_cast<int>(threadIdx.x) * count;
  const Number* const x = n.x + std::int64_t{row} * n.width;
  Number* const y = n.y + std::int64_t{row} * n.width;
  const auto width = static_cast<float>(n.width);
  float mean = 0;
  if (n.centred != 0) {
#pragma unroll 4
    for (int c = first; c < n.width; c += 32 * count) {
      const auto of = load<count>(x + c);
#pragma unroll
      for (int i = 0; i < count; ++i) mean += widen(of.of[i]);
    }
    mean = warp_sum(mean) / width;
  }
  float squares = 0;
#pragma unroll 4
  for (int c = first; c < n.width; c += 32 * count) {
    const auto of = load<count>(x + c);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float apart = widen(of.of[i]) - mean;
      squares += apart * apart;
    }
  }
  const float scale = 1 / sqrtf(warp_sum(squares) / width + n.epsilon);
#pragma unroll 2
  for (int c = first; c < n.width; c += 32 * count) {
    const auto of = load<count>(x + c), w = load<count>(n.w + c);
    Pack<Number, count> b{}, made;
    if (n.b != nullptr) b = load<count>(n.b + c);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float scaled = (widen(of.of[i]) - mean) * scale * widen(w.of[i]);
      narrow(n.b != nullptr ? scaled + widen(b.of[i]) : scaled, made.of[i]);
    }
    store<count>(made, y + c);
  }
  if (threadIdx.x != 0) return;
  n.scale[row] = scale;
  if (n.centred != 0) n.mean[row] = mean;
}

template <class Number>
__device__ void norm_forward(const Norm<Number>& n) {
  if (in_packs<Number>(n.width, n.x, n.y, n.w, n.b)) {
    norm_forward_by<kAtOnce<Number>>(n);
  } else {
    norm_forward_by<1>(n);
  }
}

template <int count, class Number>
__device__ void norm_backward_by(const Norm<Number>& n) {
  const int row = row_of_warp();
  if (row >= n.rows) return;
  const int first = static_cast<int>(threadIdx.x) * count;
  const std::int64_t begin = std::int64_t{row} * n.width;
  const Number *const x = n.x + begin, *const d_y = n.d_y + begin;
  const auto width = static_cast<float>(n.width);
  const float scale = n.scale[row], mean = n.centred != 0 ? n.mean[row] : 0;
  float sum = 0, along = 0;  // of g, and of g times the normalised row
#pragma unroll 2
  for (int c = first; c < n.width; c += 32 * count) {
    const auto of = load<count>(x + c), d = load<count>(d_y + c), w = load<count>(n.w + c);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float g = widen(d.of[i]) * widen(w.of[i]);
      sum += g;
      along += g * (widen(of.of[i]) - mean) * scale;
    }
  }
  sum = n.centred != 0 ? warp_sum(sum) / width : 0;
  along = warp_sum(along) / width;
#pragma unroll 2
  for (int c = first; c < n.width; c += 32 * count) {
    const auto of = load<count>(x + c), d = load<count>(d_y + c), w = load<count>(n.w + c);
    Pack<Number, count> made;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float g = widen(d.of[i]) * widen(w.of[i]);
      const float normalised = (widen(of.of[i]) - mean) * scale;
      narrow(scale * (g - sum - normalised * along), made.of[i]);
    }
    store<count>(made, n.d_x + begin + c);
  }
}

template <class Number>
__device__ void norm_backward(const Norm<Number>& n) {
  if (in_packs<Number>(n.width, n.x, n.d_y, n.w, n.d_x)) {
    norm_backward_by<kAtOnce<Number>>(n);
  } else {
    norm_backward_by<1>(n);
  }
}

// A thread a column, and a block the rows from blockIdx.y * rows_of_block on.
template <class Number>
__device__ void norm_backward_weights(const Norm<Number>& n) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= n.width) return;
  const int first = static_cast<int>(blockIdx.y) * n.rows_of_block;
  const int end = min(first + n.rows_of_block, n.rows);
  ColumnSum of_w, of_b;
#pragma unroll 8
  for (int row = first; row < end; ++row) {
    const std::int64_t place = std::int64_t{row} * n.width + column;
    const float d_y = widen(n.d_y[place]), mean = n.centred != 0 ? n.mean[row] : 0;
    of_w.add(d_y * (widen(n.x[place]) - mean) * n.scale[row]);
    of_b.add(d_y);
  }
  n.partial_w[blockIdx.y * n.width + column] = of_w.sum;
  if (n.partial_b != nullptr) n.partial_b[blockIdx.y * n.width + column] = of_b.sum;
}

template <class Number>
__device__ void norm_add(const Norm<Number>& n) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (column >= n.width) return;
  const int blocks = (n.rows + n.rows_of_block - 1) / n.rows_of_block;
  ColumnSum of_w, of_b;
#pragma unroll 8
  for (int block = 0; block < blocks; ++block) {
    of_w.add(n.partial_w[block * n.width + column]);
    if (n.partial_b != nullptr) of_b.add(n.partial_b[block * n.width + column]);
  }
  narrow(of_w.sum, n.d_w[column]);
  if (n.d_b != nullptr) narrow(of_b.sum, n.d_b[column]);
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
