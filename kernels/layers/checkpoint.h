#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

namespace ts::kernels {

using Body = std::function<at::Tensor(const std::vector<at::Tensor>& inputs)>;

// Activation checkpointing (Chen et al. 2016), the re-entrant form: the forward keeps the inputs
// and nothing that `body` makes; the backward runs `body` again, under the autocast of the forward,
// and goes back through it at once. Gradients of parameters that body uses are added to them there.
// At least one input must require a gradient. Without a graph it is just body(inputs). body is kept
// until the backward; it must compute the same again, so nothing in it may draw random numbers.
at::Tensor checkpoint(const Body& body, const std::vector<at::Tensor>& inputs);

}  // namespace ts::kernels
