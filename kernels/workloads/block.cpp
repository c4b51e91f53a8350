#include "core/spec/workload_math.h"
#include "kernels/layers/checkpoint.h"
#include "kernels/layers/experts.h"
#include "kernels/workloads/transformer_block.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// One transformer block on x: [B, T, d_model]. (Learned positions are added to x before the first
// block of a model, so a block alone has none then.)
class Block final : public Workload {
 public:
  Block(Builder& builder, const spec::WorkloadSpec& spec)
      : block_(builder, "block", make_block_settings(builder, spec)),
        checkpointed_(spec::checkpointing(spec) == spec::Checkpoint::blocks),
        x_(make_stream_input(builder, spec)) {}

  at::Tensor forward() override {
    if (!checkpointed_) return block_.forward(x_);
    return checkpoint(
        [this](const std::vector<at::Tensor>& inputs) { return block_.forward(inputs[0]); }, {x_});
  }

  [[nodiscard]] std::vector<run::NamedNumber> results() override {
    const Experts* const experts = block_.experts();
    return experts != nullptr ? load_numbers({experts}) : std::vector<run::NamedNumber>();
  }

 private:
  TransformerBlock block_;
  bool checkpointed_;
  at::Tensor x_;
};

}  // namespace

std::unique_ptr<Workload> make_block(Builder& builder, const spec::WorkloadSpec& spec) {
  return std::make_unique<Block>(builder, spec);
}

}  // namespace ts::kernels
