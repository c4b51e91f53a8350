#pragma once

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace ts::kernels {

// Compares every number of `gradient` with the central difference of `loss`, which reads `input`
// (contiguous, fp64). Moves one number of the input at a time and restores it.
inline void expect_central_differences(const at::Tensor& input, const at::Tensor& gradient,
                                       const std::function<double()>& loss,
                                       const std::string& name) {
  constexpr double kStep = 1e-5;
  const at::Tensor flat = input.view(-1), expected = gradient.reshape(-1);
  for (std::int64_t i = 0; i < flat.numel(); ++i) {
    const double value = flat[i].item<double>();
    flat[i] = value + kStep;
    const double above = loss();
    flat[i] = value - kStep;
    const double below = loss();
    flat[i] = value;
    ASSERT_NEAR((above - below) / (2 * kStep), expected[i].item<double>(), 1e-8)
        << name << ", number " << i;
  }
}

}  // namespace ts::kernels
