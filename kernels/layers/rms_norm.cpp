#include "kernels/layers/rms_norm.h"

#include <ATen/ops/add.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/square.h>

#include <array>

#include "kernels/observe/module_scope.h"

namespace ts::kernels {

RmsNorm::RmsNorm(Builder& builder, const std::string& path, std::int64_t width)
    : path_(path), weight_(builder.constant(path + ".weight", std::array{width}, 1)) {}

at::Tensor RmsNorm::forward(const at::Tensor& x) const {
  constexpr double kEpsilon = 1e-5;
  const ModuleScope scope(path_);
  const at::Tensor wide = x.to(at::kFloat);
  const at::Tensor mean_square = at::mean(at::square(wide), {-1}, /*keepdim=*/true);
  const at::Tensor scale = at::rsqrt(at::add(mean_square, kEpsilon));
  return at::mul(at::mul(wide, scale), weight_).to(x.scalar_type());
}

}  // namespace ts::kernels
