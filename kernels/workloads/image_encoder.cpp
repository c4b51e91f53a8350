#include "kernels/workloads/image_encoder.h"

#include "core/spec/workload_traits.h"

namespace ts::kernels {

ImageEncoder::ImageEncoder(Builder& builder, const std::string& prefix,
                           const spec::WorkloadSpec& spec)
    : stem_(builder, prefix, spec),
      blocks_(builder, prefix, spec),
      norm_(builder, prefix + "norm", spec.norm, spec.d_model, spec.bias ? Bias::zeros : Bias::none,
            spec.kernels) {
  if (spec.pool != spec::Pool::resampler) return;
  resampler_.emplace(builder, prefix + "resampler", spec, make_attention_method(builder, spec));
}

at::Tensor ImageEncoder::forward(const at::Tensor& images) const {
  const at::Tensor x = norm_.forward(blocks_.forward(stem_.forward(images)));
  return resampler_ ? resampler_->forward(x) : x;
}

}  // namespace ts::kernels
