#include <ATen/ops/cross_entropy_loss.h>

#include <array>
#include <vector>

#include "kernels/layers/embedding.h"
#include "kernels/layers/transformer_block.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// Embedding, blocks, RMSNorm, head without bias and not tied to the embedding. Tokens and targets
// are random: [B, T] in [0, vocab). Loss: cross-entropy over all B T positions.
class LanguageModel final : public Workload {
 public:
  LanguageModel(Builder& builder, const run::WorkloadSpec& spec)
      : embedding_(builder, "embedding", spec.vocab, spec.d_model),
        blocks_(make_blocks(builder, spec)),
        norm_(builder, "norm", spec.d_model),
        head_(builder, "head", spec.d_model, spec.vocab, Bias::none) {
    const std::array sizes = {spec.batch, spec.seq_len};
    tokens_ = builder.token_input(sizes, spec.vocab);
    targets_ = builder.token_input(sizes, spec.vocab);
  }

  at::Tensor forward() override {
    at::Tensor x = embedding_.forward(tokens_);
    for (const TransformerBlock& block : blocks_) x = block.forward(std::move(x));
    x = norm_.forward(x);
    return head_.forward(x);
  }

  at::Tensor loss(at::Tensor logits) override {
    return at::cross_entropy_loss(logits.flatten(0, 1), targets_.flatten());
  }

 private:
  static std::vector<TransformerBlock> make_blocks(Builder& builder,
                                                   const run::WorkloadSpec& spec) {
    const BlockSettings settings = make_block_settings(builder, spec);
    std::vector<TransformerBlock> blocks;
    for (std::int64_t i = 0; i < spec.layers; ++i) {
      blocks.emplace_back(builder, "blocks." + std::to_string(i), settings);
    }
    return blocks;
  }

  Embedding embedding_;
  std::vector<TransformerBlock> blocks_;
  RmsNorm norm_;
  Linear head_;
  at::Tensor tokens_;
  at::Tensor targets_;
};

}  // namespace

std::unique_ptr<Workload> make_language_model(Builder& builder, const run::WorkloadSpec& spec) {
  return std::make_unique<LanguageModel>(builder, spec);
}

}  // namespace ts::kernels
