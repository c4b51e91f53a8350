#include "kernels/workloads/resampler.h"

#include <array>
#include <utility>

#include "kernels/observe/module_scope.h"

namespace ts::kernels {
namespace {

constexpr double kQueryDeviation = 0.02;

Bias bias_if(const spec::WorkloadSpec& spec) {
  return spec.bias ? Bias::zeros : Bias::none;
}

}  // namespace

Resampler::Resampler(Builder& builder, std::string path, const spec::WorkloadSpec& spec,
                     AttentionMethod method)
    : path_(std::move(path)),
      heads_(spec.heads),
      method_(std::move(method)),
      queries_(builder.truncated_normal(
          path_ + ".queries", std::array{spec.image_tokens, spec.d_model}, kQueryDeviation)),
      q_proj_(builder, path_ + ".q_proj", spec.d_model, spec.d_model, bias_if(spec)),
      k_proj_(builder, path_ + ".k_proj", spec.d_model, spec.d_model, bias_if(spec)),
      v_proj_(builder, path_ + ".v_proj", spec.d_model, spec.d_model, bias_if(spec)),
      o_proj_(builder, path_ + ".o_proj", spec.d_model, spec.d_model, bias_if(spec)) {}

at::Tensor Resampler::forward(const at::Tensor& x) const {
  const ModuleScope scope(path_);
  const auto heads = [this](const at::Tensor& of) {
    return of.unflatten(-1, {heads_, -1}).transpose(1, 2);
  };
  at::Tensor q = q_proj_.forward(queries_).expand({x.size(0), -1, -1});
  const at::Tensor k = heads(k_proj_.forward(x)), v = heads(v_proj_.forward(x));
  return o_proj_.forward(attend(method_, heads(q), k, v).transpose(1, 2).flatten(-2));
}

}  // namespace ts::kernels
