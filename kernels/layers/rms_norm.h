#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "kernels/layers/builder.h"

namespace ts::kernels {

// x / sqrt(mean(x^2) + 1e-5) * weight over the last dimension (Zhang and Sennrich 2019), computed
// in fp32 whatever the dtype, by separate operators. weight: [width], starts at one.
class RmsNorm {
 public:
  RmsNorm(Builder& builder, const std::string& path, std::int64_t width);
  at::Tensor forward(const at::Tensor& x) const;

 private:
  std::string path_;
  at::Tensor weight_;
};

}  // namespace ts::kernels
