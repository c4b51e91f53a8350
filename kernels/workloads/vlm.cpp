#include <ATen/ops/adaptive_avg_pool2d.h>
#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gelu.h>

#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "kernels/layers/embedding.h"
#include "kernels/layers/head.h"
#include "kernels/observe/module_scope.h"
#include "kernels/workloads/image_encoder.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

constexpr double kSmallDeviation = 0.02;

// Tokens of images for the language model: [N, tokens, d_model] of the encoder's [N, T, width].
// Pool class: all patches. mean: the means of squares of patches, before the projector.
class ImageTokens {
 public:
  ImageTokens(Builder& builder, const spec::WorkloadSpec& spec)
      : pool_(spec.pool),
        side_(spec.image / spec.patch),
        pooled_side_(static_cast<std::int64_t>(
            std::lround(std::sqrt(static_cast<double>(spec.image_tokens))))),
        first_(builder,
               spec.projector == spec::Projector::mlp ? "projector.up" : "projector.linear",
               spec.encoder_width, spec.d_model, Bias::zeros) {
    if (spec.projector == spec::Projector::mlp) {
      second_.emplace(builder, "projector.down", spec.d_model, spec.d_model, Bias::zeros);
    }
  }

  [[nodiscard]] at::Tensor forward(at::Tensor x) const {
    static const std::string path = "projector";
    const ModuleScope scope(path);
    if (pool_ == spec::Pool::class_token) x = x.narrow(1, 1, side_ * side_);
    if (pool_ == spec::Pool::mean) x = means(x);
    x = first_.forward(x);
    return second_ ? second_->forward(at::gelu(x)) : x;
  }

 private:
  [[nodiscard]] at::Tensor means(const at::Tensor& x) const {
    const at::Tensor grid = x.transpose(1, 2).unflatten(2, {side_, side_});
    return at::adaptive_avg_pool2d(grid, {pooled_side_, pooled_side_}).flatten(2).transpose(1, 2);
  }

  spec::Pool pool_;
  std::int64_t side_;
  std::int64_t pooled_side_;
  Linear first_;
  std::optional<Linear> second_;
};

// Embedding, blocks, norm and head of a language model that reads tokens of images before its text.
class TextModel {
 public:
  TextModel(Builder& builder, const spec::WorkloadSpec& spec)
      : embedding_(builder, "language.embedding", spec.vocab, spec.d_model,
                   spec.tied ? kSmallDeviation : 1.0),
        positions_(spec.positions == spec::Positions::learned
                       ? builder.truncated_normal("language.positions.weight",
                                                  std::array{spec.seq_len, spec.d_model},
                                                  kSmallDeviation)
                       : at::Tensor()),
        blocks_(builder, "language.", spec),
        norm_(builder, "language.norm", spec.norm, spec.d_model,
              spec.bias ? Bias::zeros : Bias::none, spec.kernels),
        head_(make_head(builder, spec)) {}

  // images: [B, tokens of images, d_model]; the result: logits of the text.
  [[nodiscard]] at::Tensor forward(const at::Tensor& images, const at::Tensor& text) const {
    static const std::string path = "language";
    const ModuleScope scope(path);
    at::Tensor x = at::cat({images, embedding_.forward(text)}, 1);
    if (positions_.defined()) x = at::add(x, positions_);
    x = blocks_.forward(std::move(x));
    x = norm_.forward(x.narrow(1, images.size(1), text.size(1)));
    return head_.forward(x);
  }

  [[nodiscard]] at::Tensor loss(const at::Tensor& output, const at::Tensor& targets) const {
    return head_.loss(output, targets);
  }

 private:
  Head make_head(Builder& builder, const spec::WorkloadSpec& spec) const {
    const spec::ProductForm products = spec::writing(spec).products;
    return {spec.tied
                ? Linear(builder, "language.head", embedding_.weight(), Bias::none, products)
                : Linear(builder, "language.head", spec.d_model, spec.vocab, Bias::none, products),
            spec};
  }

  Embedding embedding_;
  at::Tensor positions_;
  BlockStack blocks_;
  Norm norm_;
  Head head_;
};

// Encoder of images, projector, language model (Liu et al. 2023, LLaVA). Images are normal,
// [micro-batches * B * images, 3, image, image], text and targets random, [micro-batches * B, T].
// Every sequence begins with the tokens of its images. Loss: cross entropy over the text alone.
class VisionLanguageModel final : public Workload {
 public:
  VisionLanguageModel(Builder& builder, const spec::WorkloadSpec& spec)
      : batch_(spec.batch),
        images_of_one_(spec.images),
        encoder_(make_encoder(builder, spec)),
        projector_(make_projector(builder, spec)),
        language_(make_language(builder, spec)) {
    const std::int64_t rows = spec::micro_batches(spec) * spec.batch;
    images_ = builder.normal_input(
        std::array<std::int64_t, 4>{rows * spec.images, 3, spec.image, spec.image},
        /*requires_grad=*/false);
    text_ = builder.token_input(std::array{rows, spec.seq_len}, spec.vocab);
    targets_ = builder.token_input(std::array{rows, spec.seq_len}, spec.vocab);
  }

  void select_micro_batch(std::int64_t index) override { micro_batch_ = index; }

  at::Tensor forward() override {
    at::Tensor x = projector_.forward(encoded(rows_of(images_, batch_ * images_of_one_)));
    x = x.unflatten(0, {batch_, images_of_one_}).flatten(1, 2);
    return language_.forward(x, rows_of(text_, batch_));
  }

  at::Tensor loss(at::Tensor output) override {
    return language_.loss(output, rows_of(targets_, batch_));
  }

 private:
  // Each part is frozen or not while it is made.
  static ImageEncoder make_encoder(Builder& builder, const spec::WorkloadSpec& spec) {
    builder.freeze(spec::frozen_parts(spec).encoder);
    return {builder, "encoder.", spec::encoder_of(spec)};
  }
  static ImageTokens make_projector(Builder& builder, const spec::WorkloadSpec& spec) {
    builder.freeze(spec::frozen_parts(spec).projector);
    return {builder, spec};
  }
  static TextModel make_language(Builder& builder, const spec::WorkloadSpec& spec) {
    builder.freeze(spec::frozen_parts(spec).language);
    return {builder, spec::language_of(spec)};
  }

  [[nodiscard]] at::Tensor encoded(const at::Tensor& images) const {
    static const std::string path = "encoder";
    const ModuleScope scope(path);
    return encoder_.forward(images);
  }

  [[nodiscard]] at::Tensor rows_of(const at::Tensor& all, std::int64_t rows) const {
    return all.size(0) == rows ? all : all.narrow(0, micro_batch_ * rows, rows);
  }

  std::int64_t batch_;
  std::int64_t images_of_one_;
  std::int64_t micro_batch_ = 0;
  ImageEncoder encoder_;
  ImageTokens projector_;
  TextModel language_;
  at::Tensor images_;
  at::Tensor text_;
  at::Tensor targets_;
};

}  // namespace

std::unique_ptr<Workload> make_vlm(Builder& builder, const spec::WorkloadSpec& spec) {
  return std::make_unique<VisionLanguageModel>(builder, spec);
}

}  // namespace ts::kernels
