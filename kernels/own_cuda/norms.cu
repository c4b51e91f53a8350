// RMSNorm (Zhang and Sennrich 2019, equation 4) and LayerNorm (Ba et al. 2016, equation 3) over
// rows, with their gradients.
//
//   forward, a block or a warp a row:        backward, a block or a warp a row:
//     mean = sum x / width (LayerNorm)         n = (x - mean) scale, g = dY w
//     variance = sum (x - mean)^2 / width      dX = scale (g - mean(g) - n mean(g n))
//     scale = 1 / sqrt(variance + epsilon)   and of the weights, in two passes:
//     y = (x - mean) scale w + b               a block adds its rows of dY n to a partial sum,
//                                              a block then adds those of 32 columns
//
// RMSNorm is the same without means. A row is read once, into registers (row_walk.h). Each sum has
// its order, so results are the same from run to run.
#include "kernels/own_cuda/norms.h"

#include "kernels/own_cuda/row_walk.h"

namespace ts::kernels::own_cuda {

template <int count, class Number>
__device__ void norm_forward_by(const Norm<Number>& n) {
  const int row = row_of_thread();
  if (row >= n.rows) return;  // the whole warp
  using Packs = const Pack<Number, count>*;
  const HeldRows<Number, count> x(n.width, n.x + std::int64_t{row} * n.width);
  Number* const y = n.y + std::int64_t{row} * n.width;
  const auto width = static_cast<float>(n.width);
  float mean = 0;
  if (n.centred != 0) {
    x.each([&](int, Packs of) {
      const auto wide = widened(of[0]);
#pragma unroll
      for (int i = 0; i < count; ++i) mean += wide.of[i];
    });
    mean = sum_of_row<0>(mean) / width;
  }
  float squares = 0;
  x.each([&](int, Packs of) {
    const auto wide = widened(of[0]);
#pragma unroll
    for (int i = 0; i < count; ++i) squares += (wide.of[i] - mean) * (wide.of[i] - mean);
  });
  const float scale = 1 / sqrtf(sum_of_row<1>(squares) / width + n.epsilon);
  x.each([&](int c, Packs of) {
    const auto wide = widened(of[0]), w = widened(load_constant<count>(n.w + c));
    Floats<count> made;
#pragma unroll
    for (int i = 0; i < count; ++i) made.of[i] = (wide.of[i] - mean) * scale * w.of[i];
    if (n.b != nullptr) {
      const auto b = widened(load_constant<count>(n.b + c));
#pragma unroll
      for (int i = 0; i < count; ++i) made.of[i] += b.of[i];
    }
    store(made, y + c);
  });
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
  const int row = row_of_thread();
  if (row >= n.rows) return;
  using Packs = const Pack<Number, count>*;
  const std::int64_t begin = std::int64_t{row} * n.width;
  const HeldRows<Number, count, 2> rows(n.width, n.x + begin, n.d_y + begin);
  Number* const d_x = n.d_x + begin;
  const auto width = static_cast<float>(n.width);
  const float scale = n.scale[row], mean = n.centred != 0 ? n.mean[row] : 0;
  Floats<2> sums{};  // of g, and of g times the normalised row
  rows.each([&](int c, Packs of) {
    const auto x = widened(of[0]), d_y = widened(of[1]), w = widened(load_constant<count>(n.w + c));
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float g = d_y.of[i] * w.of[i];
      sums.of[0] += g;
      sums.of[1] += g * (x.of[i] - mean) * scale;
    }
  });
  sums = sums_of_row<0>(sums);
  const float sum = n.centred != 0 ? sums.of[0] / width : 0, along = sums.of[1] / width;
  rows.each([&](int c, Packs of) {
    const auto x = widened(of[0]), d_y = widened(of[1]), w = widened(load_constant<count>(n.w + c));
    Floats<count> made;
#pragma unroll
    for (int i = 0; i < count; ++i) {
      const float normalised = (x.of[i] - mean) * scale;
      made.of[i] = scale * (d_y.of[i] * w.of[i] - sum - normalised * along);
    }
    store(made, d_x + c);
  });
}

template <class Number>
__device__ void norm_backward(const Norm<Number>& n) {
  if (in_packs<Number>(n.width, n.x, n.d_y, n.w, n.d_x)) {
    norm_backward_by<kAtOnce<Number>>(n);
  } else {
    norm_backward_by<1>(n);
  }
}

template <bool packed, class Number>
__device__ void norm_backward_weights_by(const Norm<Number>& n) {
  using Walk = Columns<packed, Number>;
  const Walk columns(n.width);
  typename Walk::Sums of_w, of_b;
  each_rows(n.rows_of_block, n.rows, [&](int row, int end) {
    typename Walk::Of x[kRowsAtOnce] = {}, d_y[kRowsAtOnce] = {};
    float mean[kRowsAtOnce] = {}, scale[kRowsAtOnce] = {};
#pragma unroll
    for (int k = 0; k < kRowsAtOnce; ++k) {
      const int at = row + k * report::kColumnWarps;
      if (at >= end) continue;
      x[k] = columns.load_from(n.x + std::int64_t{at} * n.width);
      d_y[k] = columns.load_from(n.d_y + std::int64_t{at} * n.width);
      scale[k] = n.scale[at];
      if (n.centred != 0) mean[k] = n.mean[at];
    }
    Floats<Walk::kCount> w{}, b{};  // of these rows
#pragma unroll
    for (int k = 0; k < kRowsAtOnce; ++k) {
      const auto wide = widened(x[k]), d = widened(d_y[k]);
#pragma unroll
      for (int i = 0; i < Walk::kCount; ++i) {
        w.of[i] += d.of[i] * ((wide.of[i] - mean[k]) * scale[k]);
        b.of[i] += d.of[i];
      }
    }
#pragma unroll
    for (int i = 0; i < Walk::kCount; ++i) {
      of_w[i].add(w.of[i]);
      of_b[i].add(b.of[i]);
    }
  });
  const std::int64_t begin = std::int64_t{block_of_rows()} * n.width;
  columns.template put_sums<0>(of_w, n.partial_w + begin);
  if (n.partial_b != nullptr) columns.template put_sums<1>(of_b, n.partial_b + begin);
}

template <class Number>
__device__ void norm_backward_weights(const Norm<Number>& n) {
  if (in_packs<Number>(n.width, n.x, n.d_y)) {
    norm_backward_weights_by<true>(n);
  } else {
    norm_backward_weights_by<false>(n);
  }
}

template <class Number>
__device__ void norm_add(const Norm<Number>& n) {
  const int blocks = (n.rows + n.rows_of_block - 1) / n.rows_of_block;
  const float of_w = sum_of_blocks(n.partial_w, blocks, n.width);
  if (n.partial_b != nullptr) {
    put_sum_of_blocks<1>(sum_of_blocks(n.partial_b, blocks, n.width), n.width, n.d_b);
  }
  put_sum_of_blocks<0>(of_w, n.width, n.d_w);
}

}  // namespace ts::kernels::own_cuda

TENSORSCOPE_ROW_KERNELS(norm_forward, rows, Norm)
TENSORSCOPE_ROW_KERNELS(norm_backward, rows, Norm)
TENSORSCOPE_ROW_KERNELS(norm_backward_weights, columns, Norm)
TENSORSCOPE_ROW_KERNELS(norm_add, sums, Norm)
