#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "kernels/layers/builder.h"

namespace ts::kernels {

// Rows of a table. Table: [vocab, width], truncated normal with deviation 1.
class Embedding {
 public:
  Embedding(Builder& builder, const std::string& path, std::int64_t vocab, std::int64_t width);
  // tokens: int64 [...]; the result: [..., width].
  at::Tensor forward(const at::Tensor& tokens) const;

 private:
  std::string path_;
  at::Tensor weight_;
};

}  // namespace ts::kernels
