#include <ATen/ops/cross_entropy_loss.h>

#include <array>

#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "kernels/layers/written.h"
#include "kernels/workloads/image_encoder.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// An encoder of images and a linear layer to classes. Images are normal, [micro-batches * B, 3,
// image, image], classes random. Loss: cross entropy over the B images of a micro-batch. The pool
// decides what the classes are made of: the class token, the mean of the patches, or that of what
// the resampler gives.
class VisionTransformer final : public Workload {
 public:
  VisionTransformer(Builder& builder, const spec::WorkloadSpec& spec)
      : batch_(spec.batch),
        pool_(spec.pool),
        written_(spec::writing(spec).cross_entropy == spec::Form::written),
        encoder_(builder, "", spec::encoder_of(spec)),
        head_(builder, "head", spec.d_model, spec.vocab, spec.bias ? Bias::zeros : Bias::none,
              spec::writing(spec).products) {
    const std::int64_t rows = spec::micro_batches(spec) * spec.batch;
    images_ = builder.normal_input(std::array<std::int64_t, 4>{rows, 3, spec.image, spec.image},
                                   /*requires_grad=*/false);
    classes_ = builder.token_input(std::array{rows}, spec.vocab);
  }

  void select_micro_batch(std::int64_t index) override { micro_batch_ = index; }

  at::Tensor forward() override {
    const at::Tensor x = encoder_.forward(rows_of(images_));
    return head_.forward(pool_ == spec::Pool::class_token ? x.select(1, 0) : x.mean(1));
  }

  at::Tensor loss(at::Tensor output) override {
    const at::Tensor classes = rows_of(classes_);
    return written_ ? written_cross_entropy(output, classes)
                    : at::cross_entropy_loss(output, classes);
  }

 private:
  [[nodiscard]] at::Tensor rows_of(const at::Tensor& all) const {
    return all.size(0) == batch_ ? all : all.narrow(0, micro_batch_ * batch_, batch_);
  }

  std::int64_t batch_;
  std::int64_t micro_batch_ = 0;
  spec::Pool pool_;
  bool written_;
  ImageEncoder encoder_;
  Linear head_;
  at::Tensor images_;
  at::Tensor classes_;
};

}  // namespace

std::unique_ptr<Workload> make_vit(Builder& builder, const spec::WorkloadSpec& spec) {
  return std::make_unique<VisionTransformer>(builder, spec);
}

}  // namespace ts::kernels
