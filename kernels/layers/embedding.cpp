#include "kernels/layers/embedding.h"

#include <ATen/ops/embedding.h>

#include <array>

#include "kernels/observe/dtype_map.h"
#include "kernels/observe/module_scope.h"

namespace ts::kernels {

Embedding::Embedding(Builder& builder, const std::string& path, std::int64_t vocab,
                     std::int64_t width, double deviation)
    : path_(path),
      weight_(builder.truncated_normal(path + ".weight", std::array{vocab, width}, deviation)) {}

at::Tensor Embedding::forward(const at::Tensor& tokens) const {
  const ModuleScope scope(path_);
  at::Tensor rows = at::embedding(weight_, tokens);
  note_dtype(path_, rows);
  return rows;
}

}  // namespace ts::kernels
