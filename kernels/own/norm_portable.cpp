// LayerNorm (Ba et al. 2016, arXiv 1607.06450) and RMSNorm (Zhang and Sennrich 2019, arXiv
// 1910.07467) of rows x of n numbers, in plain loops; c is 1 for LayerNorm, 0 for RMSNorm.
//
//   forward:                                   backward, z = (x - mean) s, g = dy o weight:
//     mean = c sum(x) / n                        dweight += dy o z, dbias += dy
//     s = 1 / sqrt(sum((x - mean)^2) / n + eps)  a = sum(g o z) / n, b = c sum(g) / n
//     y = (x - mean) s o weight + bias           dx = s (g - b - z a)
//
// A row is read as often as there are lines; from memory only once, for it stays in the cache. No
// tensor of intermediate results is made. All sums are fp64.
#include <cmath>

#include "kernels/own/by_row.h"

namespace ts::kernels::own {
namespace {

struct NormRow {
  template <class Number>
  static void forward(const NormRows& in, Index row) {
    const Index n = in.width;
    const auto count = static_cast<double>(n);
    const Number* const x = row_of<Number>(in.x, row, n);
    Number* const y = row_of<Number>(in.y, row, n);
    double mean = 0, squares = 0;
    if (in.centred) {
      for (Index c = 0; c < n; ++c) mean += double{widen(x[c])};
      mean /= count;
      sums(in.mean)[row] = mean;
    }
    for (Index c = 0; c < n; ++c) {
      const double difference = double{widen(x[c])} - mean;
      squares += difference * difference;
    }
    const double scale = 1 / std::sqrt(squares / count + in.epsilon);
    sums(in.scale)[row] = scale;
    for (Index c = 0; c < n; ++c) {
      const double z = (double{widen(x[c])} - mean) * scale;
      narrow(z * sums(in.weight)[c] + (in.bias != nullptr ? sums(in.bias)[c] : 0), y[c]);
    }
  }

  template <class Number>
  static void backward(const NormRows& in, Index row) {
    const Index n = in.width;
    const auto count = static_cast<double>(n);
    const Number* const x = row_of<Number>(in.x, row, n);
    const Number* const d_y = row_of<Number>(in.d_y, row, n);
    const double mean = in.centred ? sums(in.mean)[row] : 0, scale = sums(in.scale)[row];
    const double* const weight = sums(in.weight);
    double a = 0, b = 0;
    for (Index c = 0; c < n; ++c) {
      const double z = (double{widen(x[c])} - mean) * scale, d = double{widen(d_y[c])};
      a += d * weight[c] * z;
      if (in.centred) b += d * weight[c];
      if (in.d_weight != nullptr) sums(in.d_weight)[c] += d * z;
      if (in.d_bias != nullptr) sums(in.d_bias)[c] += d;
    }
    if (in.d_x == nullptr) return;
    Number* const d_x = row_of<Number>(in.d_x, row, n);
    for (Index c = 0; c < n; ++c) {
      const double z = (double{widen(x[c])} - mean) * scale, d = double{widen(d_y[c])};
      narrow(scale * (d * weight[c] - b / count - z * (a / count)), d_x[c]);
    }
  }
};

}  // namespace

const NormKernel kPortableNorm = by_row<NormRow, NormRows>();

}  // namespace ts::kernels::own
