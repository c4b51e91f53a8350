#include "kernels/layers/feed_forward.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/silu.h>

#include "kernels/layers/written.h"
#include "kernels/observe/module_scope.h"

namespace ts::kernels {

SwiGlu::SwiGlu(Builder& builder, const std::string& path, std::int64_t width, std::int64_t hidden,
               const spec::Writing& written, const spec::Lora& lora, Gate gate)
    : path_(path),
      silu_(written.silu),
      gate_(gate),
      w1_(builder, path + ".w1", width, hidden, Bias::none, written.products, lora),
      w2_(builder, path + ".w2", hidden, width, Bias::none, written.products, lora),
      w3_(builder, path + ".w3", width, hidden, Bias::none, written.products, lora) {}

at::Tensor SwiGlu::gate(const at::Tensor& x) const {
  if (gate_ == Gate::gelu) return at::gelu(x);
  return silu_ == spec::Form::written ? written_silu(x) : at::silu(x);
}

at::Tensor SwiGlu::forward(const at::Tensor& x) const {
  const ModuleScope scope(path_);
  at::Tensor hidden = gate(w1_.forward(x));
  hidden = at::mul(hidden, w3_.forward(x));
  return w2_.forward(hidden);
}

GeluMlp::GeluMlp(Builder& builder, const std::string& path, std::int64_t width, std::int64_t hidden,
                 Bias bias, spec::ProductForm products, const spec::Lora& lora)
    : path_(path),
      up_(builder, path + ".up", width, hidden, bias, products, lora),
      down_(builder, path + ".down", hidden, width, bias, products, lora) {}

at::Tensor GeluMlp::forward(const at::Tensor& x) const {
  const ModuleScope scope(path_);
  return down_.forward(at::gelu(up_.forward(x)));
}

std::unique_ptr<FeedForward> make_feed_forward(Builder& builder, const std::string& path,
                                               spec::FeedForward kind, std::int64_t width,
                                               std::int64_t hidden, Bias bias,
                                               const spec::Writing& written,
                                               const spec::Lora& lora) {
  if (kind == spec::FeedForward::gelu) {
    return std::make_unique<GeluMlp>(builder, path, width, hidden, bias, written.products, lora);
  }
  const Gate gate = kind == spec::FeedForward::geglu ? Gate::gelu : Gate::silu;
  return std::make_unique<SwiGlu>(builder, path, width, hidden, written, lora, gate);
}

}  // namespace ts::kernels
