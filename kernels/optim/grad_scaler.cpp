#include "kernels/optim/grad_scaler.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/full.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/zeros.h>

namespace ts::kernels {

GradScaler::GradScaler(const at::TensorOptions& device, double initial_scale,
                       std::int64_t growth_interval)
    : growth_interval_(growth_interval),
      scale_(at::full({1}, initial_scale, device.dtype(at::kFloat))),
      growth_(at::zeros({1}, device.dtype(at::kInt))),
      found_inf_(at::zeros({1}, device.dtype(at::kFloat))) {}

at::Tensor GradScaler::scaled(const at::Tensor& loss) const {
  return at::mul(loss, scale_.squeeze());
}

void GradScaler::unscale(const std::vector<at::Tensor>& gradients) {
  const at::NoGradGuard no_grad;
  found_inf_.zero_();
  // In double, as PyTorch does: the reciprocal of a large scale is exact there.
  const at::Tensor inverse = scale_.to(at::kDouble).reciprocal().to(at::kFloat);
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf_, inverse);
}

void GradScaler::update() {
  constexpr double kGrowth = 2;
  constexpr double kBackoff = 0.5;
  at::_amp_update_scale_(scale_, growth_, found_inf_, kGrowth, kBackoff, growth_interval_);
}

}  // namespace ts::kernels
