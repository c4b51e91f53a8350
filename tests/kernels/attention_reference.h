#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace ts::kernels {

// Attention in plain fp64 loops from the definition, and its gradients for the loss mean(output^2).
// Independent of LibTorch. All matrices [batch * heads][T][d_head], flat.
struct AttentionReference {
  std::vector<double> output, q_gradient, k_gradient, v_gradient;
  double loss = 0;
};

AttentionReference reference_attention(const at::Tensor& q, const at::Tensor& k,
                                       const at::Tensor& v, bool causal);

// All values of a tensor, in row-major order.
std::vector<double> values(const at::Tensor& tensor);

// Largest difference over the largest value of the reference; NaN where the sizes differ.
double relative_error(const at::Tensor& tensor, const std::vector<double>& reference);

}  // namespace ts::kernels
