#include "kernels/layers/image_stem.h"

#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/linear.h>

#include <array>
#include <cmath>

#include "kernels/observe/dtype_map.h"
#include "kernels/observe/module_scope.h"

namespace ts::kernels {
namespace {

constexpr std::int64_t kChannels = 3;
// The deviation of the class token and the positions, as published encoders start.
constexpr double kTokenDeviation = 0.02;

}  // namespace

ImageStem::ImageStem(Builder& builder, const std::string& prefix, const spec::WorkloadSpec& spec)
    : path_(prefix + "patches"),
      side_(spec.image / spec.patch),
      patch_(spec.patch),
      form_(spec.patches) {
  const std::int64_t width = spec.d_model, numbers = kChannels * patch_ * patch_;
  const double deviation = std::sqrt(2.0 / static_cast<double>(numbers + width));
  weight_ = form_ == spec::PatchForm::linear
                ? builder.truncated_normal(path_ + ".weight", std::array{width, numbers}, deviation)
                : builder.truncated_normal(path_ + ".weight",
                                           std::array{width, kChannels, patch_, patch_}, deviation);
  if (spec.bias && !spec.stem_norm) bias_ = builder.constant(path_ + ".bias", std::array{width}, 0);
  if (spec.pool == spec::Pool::class_token) {
    class_token_ =
        builder.truncated_normal(prefix + "class_token", std::array{width}, kTokenDeviation);
  }
  if (spec.positions == spec::Positions::learned) {
    positions_ = builder.truncated_normal(prefix + "positions.weight",
                                          std::array{spec.seq_len, width}, kTokenDeviation);
  }
  if (spec.stem_norm) {
    norm_.emplace(builder, prefix + "stem_norm", spec.norm, width,
                  spec.bias ? Bias::zeros : Bias::none, spec.kernels);
  }
}

at::Tensor ImageStem::patches_of(const at::Tensor& images) const {
  const ModuleScope scope(path_);
  const auto bias = bias_.defined() ? std::optional(bias_) : std::nullopt;
  at::Tensor x;
  if (form_ == spec::PatchForm::convolution) {
    x = at::conv2d(images, weight_, bias, {patch_, patch_}).flatten(2).transpose(1, 2);
  } else {
    const std::int64_t used = side_ * patch_;
    x = images.narrow(2, 0, used).narrow(3, 0, used);
    x = x.unflatten(3, {side_, patch_}).unflatten(2, {side_, patch_});
    x = x.permute({0, 2, 4, 1, 3, 5}).flatten(3).flatten(1, 2);
    x = at::linear(x, weight_, bias);
  }
  note_dtype(path_, x);
  return x;
}

at::Tensor ImageStem::forward(const at::Tensor& images) const {
  at::Tensor x = patches_of(images);
  if (class_token_.defined()) {
    x = at::cat({class_token_.expand({x.size(0), 1, -1}), x}, 1);
  }
  if (positions_.defined()) x = at::add(x, positions_);
  return norm_ ? norm_->forward(x) : x;
}

}  // namespace ts::kernels
