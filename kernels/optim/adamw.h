#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace ts::kernels {

// AdamW with decoupled weight decay, as torch.optim.AdamW(fused=True) computes it:
//   p -= lr * weight_decay * p;  m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
//   p -= lr / (1 - b1^t) * m / (sqrt(v) / sqrt(1 - b2^t) + eps)
// (Loshchilov and Hutter 2019.) It is the fused operator because that one allocates the same on cpu
// and on cuda, nothing, while a written-out loop makes temporaries and foreach operators fall back
// to a loop on cpu. State (m and v in the parameter's dtype, as PyTorch keeps them, and one step
// counter shared by all parameters) is made in the first step().
class AdamW {
 public:
  struct Settings {
    double learning_rate = 3e-4;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double weight_decay = 0.1;
  };

  AdamW(std::vector<at::Tensor> parameters, const Settings& settings)
      : settings_(settings), parameters_(std::move(parameters)) {}

  // Parameters without a gradient are left alone. Asks for cancellation between groups of
  // parameters.
  void step();

  // The tensors of the state; empty before the first step.
  [[nodiscard]] std::vector<at::Tensor> state() const;

 private:
  void make_state();

  Settings settings_;
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> first_moments_;
  std::vector<at::Tensor> second_moments_;
  at::Tensor steps_;  // fp32 scalar on the device, as the fused operator wants it
  double step_count_ = 0;
};

}  // namespace ts::kernels
