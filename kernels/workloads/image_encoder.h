#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

#include "kernels/layers/image_stem.h"
#include "kernels/workloads/block_stack.h"
#include "kernels/workloads/resampler.h"

namespace ts::kernels {

// A vision transformer without classes: stem, blocks, norm, and a resampler where the pool is one.
class ImageEncoder {
 public:
  // spec: of an encoder (spec::encoder_of). prefix: "" or "encoder.".
  ImageEncoder(Builder& builder, const std::string& prefix, const spec::WorkloadSpec& spec);
  // images: [N, 3, image, image]; the result: [N, tokens, d_model], with the class token.
  [[nodiscard]] at::Tensor forward(const at::Tensor& images) const;

 private:
  ImageStem stem_;
  BlockStack blocks_;
  Norm norm_;
  std::optional<Resampler> resampler_;
};

}  // namespace ts::kernels
