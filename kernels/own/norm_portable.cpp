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

#include "kernels/own/by_element.h"
#include "kernels/own/row_kernels.h"

namespace ts::kernels::own {
namespace {

using Index = std::int64_t;

const double* sums(const void* data) {
  return static_cast<const double*>(data);
}
double* sums(void* data) {
  return static_cast<double*>(data);
}

template <class Number>
void forward_row(const NormRows& in, Index row) {
  const Index n = in.width;
  const auto count = static_cast<double>(n);
  const Number* const x = static_cast<const Number*>(in.x) + row * n;
  Number* const y = static_cast<Number*>(in.y) + row * n;
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
void backward_row(const NormRows& in, Index row) {
  const Index n = in.width;
  const auto count = static_cast<double>(n);
  const Number* const x = static_cast<const Number*>(in.x) + row * n;
  const Number* const d_y = static_cast<const Number*>(in.d_y) + row * n;
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
  Number* const d_x = static_cast<Number*>(in.d_x) + row * n;
  for (Index c = 0; c < n; ++c) {
    const double z = (double{widen(x[c])} - mean) * scale, d = double{widen(d_y[c])};
    narrow(scale * (d * weight[c] - b / count - z * (a / count)), d_x[c]);
  }
}

void forward(const NormRows& in) {
  by_element(in.element, [&]<class Number>(Number /*type*/) {
    for (Index row = 0; row < in.rows; ++row) forward_row<Number>(in, row);
  });
}

void backward(const NormRows& in) {
  by_element(in.element, [&]<class Number>(Number /*type*/) {
    for (Index row = 0; row < in.rows; ++row) backward_row<Number>(in, row);
  });
}

}  // namespace

const NormKernel kPortableNorm = {.fp64_sums = true, .forward = forward, .backward = backward};

}  // namespace ts::kernels::own
