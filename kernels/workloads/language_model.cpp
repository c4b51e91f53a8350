#include <ATen/ops/add.h>
#include <ATen/ops/cross_entropy_loss.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/run/workload_math.h"
#include "kernels/layers/checkpoint.h"
#include "kernels/layers/embedding.h"
#include "kernels/layers/transformer_block.h"
#include "kernels/observe/dtype_map.h"
#include "kernels/observe/module_scope.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// A tied embedding is also the head: with deviation 1 its logits would be sqrt(d_model) apart, so
// it starts as GPT-2's does, and so does a table of positions.
constexpr double kGpt2Deviation = 0.02;

// Embedding (and learned positions), blocks, norm, head without bias. Tokens and targets are
// random: [micro-batches * B, T] in [0, vocab). Loss: cross-entropy over the B T positions of a
// micro-batch.
class LanguageModel final : public Workload {
 public:
  LanguageModel(Builder& builder, const run::WorkloadSpec& spec)
      : batch_(spec.batch),
        embedding_(builder, "embedding", spec.vocab, spec.d_model,
                   spec.tied ? kGpt2Deviation : 1.0),
        positions_(make_positions(builder, spec)),
        blocks_(make_blocks(builder, spec)),
        run_together_(run::checkpointing(spec) == run::Checkpoint::blocks
                          ? static_cast<std::size_t>(spec.checkpoint_every)
                          : 0),
        norm_(builder, "norm", spec.norm, spec.d_model, spec.bias ? Bias::zeros : Bias::none),
        head_(spec.tied ? Linear("head", embedding_.weight())
                        : Linear(builder, "head", spec.d_model, spec.vocab, Bias::none)) {
    const std::array sizes = {run::micro_batches(spec) * spec.batch, spec.seq_len};
    tokens_ = builder.token_input(sizes, spec.vocab);
    targets_ = builder.token_input(sizes, spec.vocab);
  }

  void select_micro_batch(std::int64_t index) override { micro_batch_ = index; }

  at::Tensor forward() override {
    at::Tensor x = embedding_.forward(rows_of(tokens_));
    if (positions_.defined()) x = at::add(x, positions_);
    for (std::size_t i = 0; i < blocks_.size(); i += std::max<std::size_t>(run_together_, 1)) {
      x = run_together_ > 0 ? run_again_later(i, x) : blocks_[i].forward(std::move(x));
    }
    x = norm_.forward(x);
    return head_.forward(x);
  }

  at::Tensor loss(at::Tensor logits) override {
    return at::cross_entropy_loss(logits.flatten(0, 1), rows_of(targets_).flatten());
  }

 private:
  static at::Tensor make_positions(Builder& builder, const run::WorkloadSpec& spec) {
    if (spec.positions != run::Positions::learned) return {};
    return builder.truncated_normal("positions.weight", std::array{spec.seq_len, spec.d_model},
                                    kGpt2Deviation);
  }

  static std::vector<TransformerBlock> make_blocks(Builder& builder,
                                                   const run::WorkloadSpec& spec) {
    const BlockSettings settings = make_block_settings(builder, spec);
    std::vector<TransformerBlock> blocks;
    for (std::int64_t i = 0; i < spec.layers; ++i) {
      blocks.emplace_back(builder, "blocks." + std::to_string(i), settings);
    }
    return blocks;
  }

  [[nodiscard]] at::Tensor rows_of(const at::Tensor& all) const {
    return all.size(0) == batch_ ? all : all.narrow(0, micro_batch_ * batch_, batch_);
  }

  // The blocks from `first` on that are checkpointed together.
  [[nodiscard]] at::Tensor run_again_later(std::size_t first, const at::Tensor& x) const {
    return checkpoint(
        [this, first](const std::vector<at::Tensor>& inputs) {
          at::Tensor stream = inputs[0];
          const std::size_t end = std::min(first + run_together_, blocks_.size());
          for (std::size_t i = first; i < end; ++i) stream = blocks_[i].forward(std::move(stream));
          return stream;
        },
        {x});
  }

  std::int64_t batch_;
  std::int64_t micro_batch_ = 0;
  Embedding embedding_;
  at::Tensor positions_;  // [T, d_model], undefined when they are not learned
  std::vector<TransformerBlock> blocks_;
  std::size_t run_together_;  // blocks of a checkpoint; 0: none
  Norm norm_;
  Linear head_;
  at::Tensor tokens_;
  at::Tensor targets_;
};

}  // namespace

std::unique_ptr<Workload> make_language_model(Builder& builder, const run::WorkloadSpec& spec) {
  return std::make_unique<LanguageModel>(builder, spec);
}

}  // namespace ts::kernels
