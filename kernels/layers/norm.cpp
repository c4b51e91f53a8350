#include "kernels/layers/norm.h"

#include <ATen/ops/add.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/square.h>

#include <array>

#include "kernels/observe/dtype_map.h"
#include "kernels/observe/module_scope.h"
#include "kernels/operators/norm.h"

namespace ts::kernels {
namespace {

constexpr double kEpsilon = 1e-5;

}  // namespace

Norm::Norm(Builder& builder, const std::string& path, spec::NormKind kind, std::int64_t width,
           Bias bias, spec::Kernels kernels)
    : path_(path),
      kind_(kind),
      kernels_(kernels),
      weight_(builder.constant(path + ".weight", std::array{width}, 1)) {
  if (kind == spec::NormKind::layernorm && bias == Bias::zeros) {
    bias_ = builder.constant(path + ".bias", std::array{width}, 0);
  }
}

at::Tensor Norm::forward(const at::Tensor& x) const {
  const ModuleScope scope(path_);
  at::Tensor y;
  if (kernels_ == spec::Kernels::own) {
    y = own_norm(kind_ == spec::NormKind::layernorm, x, weight_, bias_, kEpsilon);
  } else {
    y = by_torch(x);
  }
  note_dtype(path_, y);
  return y;
}

at::Tensor Norm::by_torch(const at::Tensor& x) const {
  if (kind_ == spec::NormKind::layernorm) {
    return at::layer_norm(x, weight_.sizes(), weight_,
                          bias_.defined() ? std::optional(bias_) : std::nullopt, kEpsilon);
  }
  const at::Tensor wide = x.to(at::promoteTypes(x.scalar_type(), at::kFloat));
  const at::Tensor mean_square = at::mean(at::square(wide), {-1}, /*keepdim=*/true);
  const at::Tensor scale = at::rsqrt(at::add(mean_square, kEpsilon));
  return at::mul(at::mul(wide, scale), weight_).to(x.scalar_type());
}

}  // namespace ts::kernels
