#include <array>

#include "kernels/layers/head.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// The last layer of a language model: an input x [B, T, d_model], logits over the vocabulary, and
// their cross entropy with random targets.
class CrossEntropy final : public Workload {
 public:
  CrossEntropy(Builder& builder, const spec::WorkloadSpec& spec)
      : head_(Linear(builder, "head", spec.d_model, spec.vocab, Bias::none), spec),
        x_(make_stream_input(builder, spec)),
        targets_(builder.token_input(std::array{spec.batch, spec.seq_len}, spec.vocab)) {}

  at::Tensor forward() override { return head_.forward(x_); }

  at::Tensor loss(at::Tensor output) override { return head_.loss(output, targets_); }

 private:
  Head head_;
  at::Tensor x_;
  at::Tensor targets_;
};

}  // namespace

std::unique_ptr<Workload> make_cross_entropy(Builder& builder, const spec::WorkloadSpec& spec) {
  return std::make_unique<CrossEntropy>(builder, spec);
}

}  // namespace ts::kernels
