#include "kernels/layers/transformer_block.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// One transformer block on x: [B, T, d_model].
class Block final : public Workload {
 public:
  Block(Builder& builder, const run::WorkloadSpec& spec)
      : block_(builder, "block", make_block_settings(builder, spec)),
        x_(make_stream_input(builder, spec)) {}

  at::Tensor forward() override { return block_.forward(x_); }

 private:
  TransformerBlock block_;
  at::Tensor x_;
};

}  // namespace

std::unique_ptr<Workload> make_block(Builder& builder, const run::WorkloadSpec& spec) {
  return std::make_unique<Block>(builder, spec);
}

}  // namespace ts::kernels
