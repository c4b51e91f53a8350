#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "core/spec/corpus.h"
#include "core/spec/masking.h"
#include "core/spec/workload_math.h"
#include "kernels/data/batches.h"
#include "kernels/layers/dropout.h"
#include "kernels/layers/embedding.h"
#include "kernels/layers/experts.h"
#include "kernels/layers/head.h"
#include "kernels/layers/sampling.h"
#include "kernels/observe/dtype_map.h"
#include "kernels/observe/module_scope.h"
#include "kernels/workloads/block_stack.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// A tied embedding is also the head: with deviation 1 its logits would be sqrt(d_model) apart, so
// it starts as GPT-2's does, and so does a table of positions.
constexpr double kGpt2Deviation = 0.02;

// Embedding (and learned positions), blocks, norm, head. Tokens and targets are those
// of a corpus, or random: [micro-batches * B, T] in [0, vocab). Loss: cross-entropy over the B T
// positions of a micro-batch.
//
// Pass generate: `sequence` [B, T + new tokens] begins with the tokens; each new one is written
// behind what is there, and the same prompt and seed give the same text in every step.
//
// A stage of a pipeline (builder.part()) has some of the blocks, the first one embedding and
// tokens, the last one norm, head and targets. The others have a block of memory for each
// micro-batch that they receive, and one for each gradient, as torch.distributed.pipelining has.
class LanguageModel final : public Workload {
 public:
  LanguageModel(Builder& builder, const spec::WorkloadSpec& spec)
      : batch_(spec.batch),
        input_needs_gradient_(spec::checkpointing(spec) == spec::Checkpoint::blocks &&
                              spec::trains_adapters(spec)),
        dropout_(spec::dropping(spec).residual) {
    const predict::Share& share = builder.part();
    const std::int64_t vocab = spec.vocab / share.tensor;
    if (share.first()) {
      embedding_.emplace(builder, "embedding", vocab, spec.d_model,
                         spec.tied ? kGpt2Deviation : 1.0);
      positions_ = make_positions(builder, spec);
    }
    blocks_.emplace(builder, "", spec);
    if (share.last()) {
      norm_.emplace(builder, "norm", spec.norm, spec.d_model, spec.bias ? Bias::zeros : Bias::none,
                    spec.kernels);
      // The last stage of several has a copy of a tied embedding.
      const spec::ProductForm products = spec::writing(spec).products;
      const Bias bias = spec::has_head_bias(spec) ? Bias::zeros : Bias::none;
      head_.emplace(spec.tied && share.first()
                        ? Linear(builder, "head", embedding_->weight(), bias, products)
                        : Linear(builder, "head", spec.d_model, vocab, bias, products),
                    spec, share.tensor > 1);
    }
    const std::array sizes = {spec::micro_batches(spec) * spec.batch, spec.seq_len};
    if (share.first()) tokens_ = builder.token_input(sizes, spec.vocab);
    if (share.last()) targets_ = builder.token_input(sizes, spec.vocab);
    for (std::int64_t i = 0; i < spec::micro_batches(spec) && !share.first(); ++i) {
      received_.push_back(make_stream_input(builder, spec));
    }
    for (std::int64_t i = 0; i < spec::micro_batches(spec) && !share.last(); ++i) {
      gradients_.push_back(make_stream_input(builder, spec).detach());
    }
    if (spec::reads_corpus(spec) && !tokens_.is_meta()) {
      batches_ = std::make_unique<Batches>(spec, builder.share().rank, builder.share().ranks);
      batches_->next(tokens_, targets_);
    }
    if (spec.pass == spec::Pass::generate) make_generation(builder, spec);
  }

  // The first batch was read when the model was made. Generation keeps its prompt.
  void next_batch() override {
    if (batches_ != nullptr && used_ && !sequence_.defined()) batches_->next(tokens_, targets_);
    used_ = true;
  }

  void prefill() override {
    sequence_.narrow(1, 0, prompt_).copy_(tokens_);
    if (generator_.defined()) generator_.set_current_seed(seed_);
    add_token(0, 0, prompt_);
  }

  void decode(std::int64_t index) override {
    const std::int64_t end = prompt_ + index;
    const bool cached = !caches_.empty();
    add_token(index, cached ? end - 1 : 0, end);
  }

  [[nodiscard]] Generated generated() const override {
    Generated out;
    if (!sequence_.defined() || sequence_.is_meta()) return out;
    const at::Tensor row = sequence_.select(0, 0).slice(0, prompt_).to(at::kCPU).contiguous();
    const auto* data = row.const_data_ptr<std::int64_t>();
    out.tokens.assign(data, data + row.numel());
    if (batches_ != nullptr) out.text = batches_->corpus().text_of(out.tokens);
    return out;
  }

  [[nodiscard]] std::vector<run::NamedNumber> results() override {
    std::vector<const Experts*> all;
    for (std::size_t i = 0; i < blocks_->size(); ++i) {
      if ((*blocks_)[i].experts() != nullptr) all.push_back((*blocks_)[i].experts());
    }
    return load_numbers(all);
  }

  void select_micro_batch(std::int64_t index) override { micro_batch_ = index; }

  at::Tensor forward() override {
    at::Tensor x = embedding_ ? embedding_->forward(rows_of(tokens_))
                              : received_.at(static_cast<std::size_t>(micro_batch_));
    if (input_needs_gradient_ && embedding_ && at::GradMode::is_enabled())
      x.set_requires_grad(true);
    if (positions_.defined()) {
      const bool all = positions_.size(0) == x.size(1);
      x = at::add(x, all ? positions_ : positions_.narrow(0, 0, x.size(1)));
    }
    if (embedding_) x = drop(x, dropout_);
    x = blocks_->forward(std::move(x));
    if (!head_) return x;
    x = norm_->forward(x);
    return head_->forward(x);
  }

  at::Tensor loss(at::Tensor output) override { return head_->loss(output, rows_of(targets_)); }
  [[nodiscard]] at::Tensor received_gradient() const override {
    return head_ ? at::Tensor() : gradients_.at(static_cast<std::size_t>(micro_batch_));
  }

 private:
  static at::Tensor make_positions(Builder& builder, const spec::WorkloadSpec& spec) {
    if (spec.positions != spec::Positions::learned) return {};
    return builder.truncated_normal(
        "positions.weight", std::array{spec::position_rows(spec), spec.d_model}, kGpt2Deviation);
  }

  void make_generation(Builder& builder, const spec::WorkloadSpec& spec) {
    prompt_ = spec.seq_len;
    seed_ = spec.seed;
    temperature_ = spec.temperature;
    top_k_ = spec.top_k;
    sequence_ = builder.token_input(std::array{spec.batch, spec::context_length(spec)}, spec.vocab);
    generator_ = builder.fork_generator();
    if (!spec.kv_cache) return;
    const bool latent = spec::latent(spec).any();
    for (std::int64_t i = 0; i < spec.layers; ++i) {
      const std::int64_t length = spec::cache_length(spec, i);
      if (latent) {
        caches_.emplace_back(builder, spec.batch, length, spec::cached_numbers(spec));
        continue;
      }
      caches_.emplace_back(builder, spec.batch, spec::kv_head_count(spec), length,
                           spec::head_size(spec));
    }
  }

  // Runs tokens [begin, end) of the sequence and writes the one that follows them.
  void add_token(std::int64_t index, std::int64_t begin, std::int64_t end) {
    at::Tensor x = embedding_->forward(sequence_.narrow(1, begin, end - begin).contiguous());
    if (positions_.defined()) x = at::add(x, positions_.narrow(0, begin, end - begin));
    for (std::size_t i = 0; i < blocks_->size(); ++i) {
      x = (*blocks_)[i].forward(std::move(x), {begin, caches_.empty() ? nullptr : &caches_[i]});
    }
    // Only the last position is needed.
    x = norm_->forward(x.narrow(1, x.size(1) - 1, 1));
    const at::Tensor logits = head_->forward(x).squeeze(1);
    static const std::string path = "sample";
    const ModuleScope scope(path);
    std::optional<at::Generator> generator;
    if (generator_.defined()) generator = generator_;
    sequence_.narrow(1, prompt_ + index, 1)
        .copy_(sample_token(logits, temperature_, top_k_, generator));
  }

  [[nodiscard]] at::Tensor rows_of(const at::Tensor& all) const {
    return all.size(0) == batch_ ? all : all.narrow(0, micro_batch_ * batch_, batch_);
  }

  std::int64_t batch_;
  std::int64_t micro_batch_ = 0;
  std::optional<Embedding> embedding_;  // of the first stage
  at::Tensor positions_;                // [positions, d_model], undefined when they are not learned
  std::optional<BlockStack> blocks_;
  // A checkpoint whose input needs no gradient has none for its parameters either: where the
  // embedding is frozen, its output gets one, as by enable_input_require_grads of transformers.
  bool input_needs_gradient_;
  double dropout_;            // of the embeddings
  std::optional<Norm> norm_;  // of the last stage, as the head
  std::optional<Head> head_;
  std::vector<at::Tensor> received_;   // from the stage before, by micro-batch
  std::vector<at::Tensor> gradients_;  // from the stage behind, by micro-batch
  at::Tensor tokens_;
  at::Tensor targets_;
  std::unique_ptr<Batches> batches_;  // null: tokens are random, and the same in every step
  bool used_ = false;
  // For pass generate.
  std::int64_t prompt_ = 0;
  std::uint64_t seed_ = 0;
  double temperature_ = 1;
  std::int64_t top_k_ = 0;
  at::Tensor sequence_;
  at::Generator generator_;
  std::vector<KvCache> caches_;  // one a layer; empty without a cache
};

}  // namespace

std::unique_ptr<Workload> make_lm(Builder& builder, const spec::WorkloadSpec& spec) {
  return std::make_unique<LanguageModel>(builder, spec);
}

}  // namespace ts::kernels
