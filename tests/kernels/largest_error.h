#pragma once

#include <ATen/TensorOperators.h>

#include <limits>

namespace ts::kernels {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The largest difference of a number from the exact one, which is fp64.
inline double largest_error(const at::Tensor& got, const at::Tensor& exact) {
  return (got.to(at::kDouble) - exact).abs().max().item<double>();
}

}  // namespace ts::kernels
