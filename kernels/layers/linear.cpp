#include "kernels/layers/linear.h"

#include <ATen/ops/linear.h>

#include <array>
#include <cmath>

#include "kernels/observe/dtype_map.h"
#include "kernels/observe/module_scope.h"

namespace ts::kernels {

Linear::Linear(Builder& builder, const std::string& path, std::int64_t in, std::int64_t out,
               Bias bias)
    : path_(path) {
  const double deviation = std::sqrt(2.0 / static_cast<double>(in + out));
  weight_ = builder.truncated_normal(path + ".weight", std::array{out, in}, deviation);
  if (bias == Bias::zeros) bias_ = builder.constant(path + ".bias", std::array{out}, 0);
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  const ModuleScope scope(path_);
  at::Tensor y = at::linear(x, weight_, bias_.defined() ? std::optional(bias_) : std::nullopt);
  note_dtype(path_, y);
  return y;
}

}  // namespace ts::kernels
