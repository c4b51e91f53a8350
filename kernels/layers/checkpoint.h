#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace ts::kernels {

using Body = std::function<at::Tensor(const std::vector<at::Tensor>& inputs)>;

// Activation checkpointing (Chen et al. 2016), the re-entrant form: the forward keeps the inputs
// and nothing that `body` makes; the backward runs `body` again, under the autocast of the forward,
// and its backward at once, which adds the gradients of the parameters that body uses. At least one
// input must require a gradient. Without a graph it is just body(inputs). body is kept until the
// backward; it must compute the same again, so it must not draw random numbers.
// until the backward; it must compute the same again, so nothing in it may draw random numbers.
at::Tensor checkpoint(const Body& body, const std::vector<at::Tensor>& inputs);

}  // namespace ts::kernels
