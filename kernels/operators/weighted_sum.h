#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "kernels/own/instructions.h"

namespace ts::kernels {

// (x * weight).sum(-1) by a kernel of ours: x [..., width] is read once, and no product of its size
// is made. Keeps x and weight [width]. instructions: of the CPU; nothing for the fastest.
at::Tensor own_weighted_sum(const at::Tensor& x, const at::Tensor& weight,
                            std::optional<own::Instructions> instructions = std::nullopt);

}  // namespace ts::kernels
