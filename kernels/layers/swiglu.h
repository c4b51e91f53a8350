#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "kernels/layers/linear.h"

namespace ts::kernels {

// Gated feed-forward w2(silu(w1 x) * w3 x) (Shazeer 2020), without biases.
class SwiGlu {
 public:
  SwiGlu(Builder& builder, const std::string& path, std::int64_t width, std::int64_t hidden);
  // x: [..., width]; the result too.
  at::Tensor forward(const at::Tensor& x) const;

 private:
  std::string path_;
  Linear w1_;
  Linear w2_;
  Linear w3_;
};

}  // namespace ts::kernels
