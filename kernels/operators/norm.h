#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "kernels/own/instructions.h"

namespace ts::kernels {

// LayerNorm (centred) or RMSNorm of the last dimension of x by one kernel of ours. The result is of
// x's type; sums are fp32, or fp64 without vectors. weight, and bias or undefined: [width]. Keeps
// x, weight and one or two numbers a row. instructions: of the CPU; nothing for the fastest.
at::Tensor own_norm(bool centred, const at::Tensor& x, const at::Tensor& weight,
                    const at::Tensor& bias, double epsilon,
                    std::optional<own::Instructions> instructions = std::nullopt);

}  // namespace ts::kernels
