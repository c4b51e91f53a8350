#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "kernels/own/instructions.h"

namespace ts::kernels {

// Softmax of the last dimension by a kernel of ours in x's type. Keeps its result. instructions: of
// the CPU; nothing for the fastest.
at::Tensor own_softmax(const at::Tensor& x,
                       std::optional<own::Instructions> instructions = std::nullopt);

}  // namespace ts::kernels
