#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>

#include "core/spec/workload_math.h"
#include "core/spec/workload_spec.h"
#include "kernels/layers/linear.h"

namespace ts::kernels {

// The part of a block that works on each position alone. x: [..., width]; the result too.
class FeedForward {
 public:
  virtual ~FeedForward() = default;
  [[nodiscard]] virtual at::Tensor forward(const at::Tensor& x) const = 0;
};

enum class Gate : std::uint8_t { silu, gelu };

// Gated, w2(silu(w1 x) * w3 x) (Shazeer 2020), without biases. silu is one operator, or x
// sigmoid(x). GeGLU has GELU in its place.
class SwiGlu final : public FeedForward {
 public:
  SwiGlu(Builder& builder, const std::string& path, std::int64_t width, std::int64_t hidden,
         const spec::Writing& written = {}, const spec::Lora& lora = {}, Gate gate = Gate::silu);
  [[nodiscard]] at::Tensor forward(const at::Tensor& x) const override;

 private:
  [[nodiscard]] at::Tensor gate(const at::Tensor& x) const;

  std::string path_;
  spec::Form silu_;
  Gate gate_;
  Linear w1_;
  Linear w2_;
  Linear w3_;
};

// down(gelu(up x)) with the exact GELU (Hendrycks and Gimpel 2016).
class GeluMlp final : public FeedForward {
 public:
  GeluMlp(Builder& builder, const std::string& path, std::int64_t width, std::int64_t hidden,
          Bias bias, spec::ProductForm products = spec::ProductForm::matmul,
          const spec::Lora& lora = {});
  [[nodiscard]] at::Tensor forward(const at::Tensor& x) const override;

 private:
  std::string path_;
  Linear up_;
  Linear down_;
};

std::unique_ptr<FeedForward> make_feed_forward(Builder& builder, const std::string& path,
                                               spec::FeedForward kind, std::int64_t width,
                                               std::int64_t hidden, Bias bias,
                                               const spec::Writing& written = {},
                                               const spec::Lora& lora = {});

}  // namespace ts::kernels
