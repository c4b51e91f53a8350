#include <ATen/ops/gelu.h>

#include "core/spec/workload_math.h"
#include "kernels/layers/feed_forward.h"
#include "kernels/layers/linear.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// Linear(d_model, d_ff) - GELU - Linear(d_ff, d_model), with biases, on x: [B, T, d_model].
class Mlp final : public Workload {
 public:
  Mlp(Builder& builder, const spec::WorkloadSpec& spec)
      : up_(builder, "up", spec.d_model, spec.d_ff, Bias::zeros),
        down_(builder, "down", spec.d_ff, spec.d_model, Bias::zeros),
        x_(make_stream_input(builder, spec)) {}

  at::Tensor forward() override { return down_.forward(at::gelu(up_.forward(x_))); }

 private:
  Linear up_;
  Linear down_;
  at::Tensor x_;
};

// The feed-forward part of a CS336 block alone.
class GatedMlp final : public Workload {
 public:
  GatedMlp(Builder& builder, const spec::WorkloadSpec& spec)
      : swiglu_(builder, "swiglu", spec.d_model, spec.d_ff, spec::writing(spec), {},
                spec.mlp == spec::FeedForward::geglu ? Gate::gelu : Gate::silu),
        x_(make_stream_input(builder, spec)) {}

  at::Tensor forward() override { return swiglu_.forward(x_); }

 private:
  SwiGlu swiglu_;
  at::Tensor x_;
};

}  // namespace

std::unique_ptr<Workload> make_mlp(Builder& builder, const spec::WorkloadSpec& spec) {
  if (spec.mlp != spec::FeedForward::gelu) return std::make_unique<GatedMlp>(builder, spec);
  return std::make_unique<Mlp>(builder, spec);
}

}  // namespace ts::kernels
