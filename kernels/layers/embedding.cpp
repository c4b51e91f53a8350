#include "kernels/layers/embedding.h"

#include <ATen/ops/embedding.h>

#include <array>

#include "kernels/observe/module_scope.h"

namespace ts::kernels {

Embedding::Embedding(Builder& builder, const std::string& path, std::int64_t vocab,
                     std::int64_t width)
    : path_(path),
      weight_(builder.truncated_normal(path + ".weight", std::array{vocab, width}, 1)) {}

at::Tensor Embedding::forward(const at::Tensor& tokens) const {
  const ModuleScope scope(path_);
  return at::embedding(weight_, tokens);
}

}  // namespace ts::kernels
