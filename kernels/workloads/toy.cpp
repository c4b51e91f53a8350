#include <ATen/ops/relu.h>

#include <array>

#include "kernels/layers/head.h"
#include "kernels/layers/linear.h"
#include "kernels/layers/norm.h"
#include "kernels/observe/dtype_map.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// The toy model of the autocast exercise: fc1 [d_model, d_ff] - ReLU - LayerNorm - fc2 [d_ff,
// vocab], linear layers without biases, on x: [B T, d_model]. Loss: cross-entropy with random
// classes. Small enough to follow the type of every layer.
class Toy final : public Workload {
 public:
  Toy(Builder& builder, const spec::WorkloadSpec& spec)
      : fc1_(builder, "fc1", spec.d_model, spec.d_ff, Bias::none),
        norm_(builder, "norm", spec::NormKind::layernorm, spec.d_ff, Bias::zeros, spec.kernels),
        fc2_(Linear(builder, "fc2", spec.d_ff, spec.vocab, Bias::none), spec),
        x_(make_stream_input(builder, spec)),
        classes_(builder.token_input(std::array{spec.batch, spec.seq_len}, spec.vocab)) {}

  at::Tensor forward() override {
    at::Tensor hidden = at::relu(fc1_.forward(x_));
    note_dtype("relu", hidden);
    return fc2_.forward(norm_.forward(hidden));
  }

  at::Tensor loss(at::Tensor output) override { return fc2_.loss(output, classes_); }

 private:
  Linear fc1_;
  Norm norm_;
  Head fc2_;
  at::Tensor x_;
  at::Tensor classes_;
};

}  // namespace

std::unique_ptr<Workload> make_toy(Builder& builder, const spec::WorkloadSpec& spec) {
  return std::make_unique<Toy>(builder, spec);
}

}  // namespace ts::kernels
