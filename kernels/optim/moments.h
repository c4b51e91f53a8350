#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "kernels/optim/wide_update.h"

namespace ts::kernels {

// The state of AdamW for each parameter: running means of its gradient and of its square. Worker
// thread, without autograd.
struct Moments {
  std::vector<at::Tensor> first, second;  // by parameter; empty before the first step

  // Zeros, unless they are there already: optimizers make their state in the first step.
  void make_once(const WideUpdate& update);
  // All of the optimizer's state: the moments, then the master weights.
  [[nodiscard]] std::vector<at::Tensor> state(const WideUpdate& update) const;
};

}  // namespace ts::kernels
