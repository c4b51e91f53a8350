#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

#include "kernels/layers/builder.h"
#include "kernels/layers/norm.h"

namespace ts::kernels {

// Makes tokens of images (Dosovitskiy et al. 2021): patches, a class token before them where
// there is one, positions where they are learned, and with stem_norm a norm (Radford et al. 2021).
// Pixels at the edge that fill no patch are left out.
//   conv    one convolution with the size and the stride of a patch
//   linear  the numbers of each patch side by side, then a linear layer
class ImageStem {
 public:
  // spec: of an encoder (spec::encoder_of).
  ImageStem(Builder& builder, const std::string& prefix, const spec::WorkloadSpec& spec);
  // images: [N, 3, image, image]; the result: [N, T, d_model].
  [[nodiscard]] at::Tensor forward(const at::Tensor& images) const;

 private:
  [[nodiscard]] at::Tensor patches_of(const at::Tensor& images) const;

  std::string path_;  // of the patches
  std::int64_t side_;
  std::int64_t patch_;
  spec::PatchForm form_;
  at::Tensor weight_;  // [d_model, 3, patch, patch], or [d_model, 3 patch^2]
  at::Tensor bias_;
  at::Tensor class_token_;
  at::Tensor positions_;
  std::optional<Norm> norm_;
};

}  // namespace ts::kernels
