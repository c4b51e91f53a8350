#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "kernels/layers/builder.h"

namespace ts::kernels {

// Rows of a table: [vocab, width], truncated normal.
class Embedding {
 public:
  Embedding(Builder& builder, const std::string& path, std::int64_t vocab, std::int64_t width,
            double deviation);
  // tokens: int64 [...]; the result: [..., width].
  at::Tensor forward(const at::Tensor& tokens) const;
  [[nodiscard]] const at::Tensor& weight() const { return weight_; }

 private:
  std::string path_;
  at::Tensor weight_;
};

}  // namespace ts::kernels
