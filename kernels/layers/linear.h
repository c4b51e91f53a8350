#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "kernels/layers/builder.h"

namespace ts::kernels {

enum class Bias : bool { none, zeros };

// y = x W^T (+ b). W: [out, in], truncated normal with deviation sqrt(2 / (in + out)) (Glorot and
// Bengio 2010); b starts at zero.
class Linear {
 public:
  Linear(Builder& builder, const std::string& path, std::int64_t in, std::int64_t out, Bias bias);
  // Shares an existing weight: [out, in].
  Linear(std::string path, at::Tensor weight)
      : path_(std::move(path)), weight_(std::move(weight)) {}
  // x: [..., in]; the result: [..., out].
  at::Tensor forward(const at::Tensor& x) const;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const at::Tensor& weight() const { return weight_; }

 private:
  std::string path_;
  at::Tensor weight_;
  at::Tensor bias_;
};

}  // namespace ts::kernels
