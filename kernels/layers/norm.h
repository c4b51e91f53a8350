#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "core/spec/workload_spec.h"
#include "kernels/layers/builder.h"
#include "kernels/layers/linear.h"

namespace ts::kernels {

// Normalisation over the last dimension, epsilon 1e-5; weights start at one, biases at zero.
//   rmsnorm    x / sqrt(mean(x^2) + eps) * weight (Zhang and Sennrich 2019), in fp32 whatever the
//              dtype, by separate operators
//   layernorm  (x - mean) / sqrt(var + eps) * weight (+ bias) (Ba et al. 2016), one operator of
//              LibTorch
// Or either by one kernel of ours.
class Norm {
 public:
  Norm(Builder& builder, const std::string& path, spec::NormKind kind, std::int64_t width,
       Bias bias, spec::Kernels kernels);
  at::Tensor forward(const at::Tensor& x) const;

 private:
  [[nodiscard]] at::Tensor by_torch(const at::Tensor& x) const;

  std::string path_;
  spec::NormKind kind_;
  spec::Kernels kernels_;
  at::Tensor weight_;
  at::Tensor bias_;
};

}  // namespace ts::kernels
