#pragma once

#include <ATen/core/Tensor.h>

namespace ts::kernels {

// cap tanh(x / cap) in three operators (Gemma 2, 2024). x is given away, so that no more than two
// tensors of its size live at once without a graph.
at::Tensor capped(at::Tensor x, double cap);

}  // namespace ts::kernels
