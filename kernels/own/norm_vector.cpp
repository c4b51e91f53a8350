// LayerNorm and RMSNorm, the formulas at the top of norm_portable.cpp, in vectors of fp32. Compiled
// once for AVX2 and once for AVX-512.
//
//   forward, each row:                            backward, each row:
//     mean: one pass (LayerNorm)                    a and b: one pass, which also adds
//     squares of x - mean: one pass                   dy o z to dweight and dy to dbias
//     y: one pass                                   dx: one pass
//
// The squares are those of differences from the mean, as in the formula: the shorter mean(x^2) -
// mean^2 loses all digits where the mean is large. dweight and dbias stay in the cache from row to
// row; the caller gives each block of rows its own and adds these up.
#include "kernels/own/by_row.h"
#include "kernels/own/row_vectors.h"

namespace ts::kernels::own {
namespace {

struct NormRow {
  template <class Number>
  static void forward(const NormRows& in, Index row) {
    const Index n = in.width;
    const auto count = static_cast<float>(n);
    const Number* const x = row_of<Number>(in.x, row, n);
    Number* const y = row_of<Number>(in.y, row, n);
    float mean = 0;
    if (in.centred) {
      RowSum sum;
      each_vector(n, [&](Index c, int turn, auto lanes) { sum.parts[turn] += load(x + c, lanes); });
      mean = sum.total() / count;
      sums(in.mean)[row] = mean;
    }
    RowSum squares;
    each_vector(n, [&](Index c, int turn, auto lanes) {
      const Vector difference = load(x + c, lanes, mean) - mean;
      squares.parts[turn] += difference * difference;
    });
    const float scale =
        1 / __builtin_sqrtf(squares.total() / count + static_cast<float>(in.epsilon));
    sums(in.scale)[row] = scale;
    const float* const weight = sums(in.weight);
    const float* const bias = sums(in.bias);
    each_vector(n, [&](Index c, int /*turn*/, auto lanes) {
      Vector result = (load(x + c, lanes) - mean) * scale * load(weight + c, lanes);
      if (bias != nullptr) result += load(bias + c, lanes);
      store(y + c, result, lanes);
    });
  }

  template <class Number>
  static void backward(const NormRows& in, Index row) {
    const Index n = in.width;
    const Number* const x = row_of<Number>(in.x, row, n);
    const Number* const d_y = row_of<Number>(in.d_y, row, n);
    const float mean = in.centred ? sums(in.mean)[row] : 0, scale = sums(in.scale)[row];
    const float* const weight = sums(in.weight);
    float* const d_weight = sums(in.d_weight);
    float* const d_bias = sums(in.d_bias);
    RowSum sum_a, sum_b;
    each_vector(n, [&](Index c, int turn, auto lanes) {
      const Vector z = (load(x + c, lanes) - mean) * scale, d = load(d_y + c, lanes);
      const Vector g = d * load(weight + c, lanes);
      sum_a.parts[turn] += g * z;
      sum_b.parts[turn] += g;
      if (d_weight != nullptr) store(d_weight + c, load(d_weight + c, lanes) + d * z, lanes);
      if (d_bias != nullptr) store(d_bias + c, load(d_bias + c, lanes) + d, lanes);
    });
    if (in.d_x == nullptr) return;
    const auto count = static_cast<float>(n);
    const float a = sum_a.total() / count, b = in.centred ? sum_b.total() / count : 0;
    Number* const d_x = row_of<Number>(in.d_x, row, n);
    each_vector(n, [&](Index c, int /*turn*/, auto lanes) {
      const Vector z = (load(x + c, lanes) - mean) * scale;
      const Vector g = load(d_y + c, lanes) * load(weight + c, lanes);
      store(d_x + c, scale * (g - b - z * a), lanes);
    });
  }
};

}  // namespace

const NormKernel TENSORSCOPE_KERNEL(Norm) = by_row<NormRow, NormRows>();

}  // namespace ts::kernels::own
