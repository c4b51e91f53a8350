#include "kernels/layers/feed_forward.h"

#include <ATen/ops/gelu.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/silu.h>

#include "kernels/observe/module_scope.h"

namespace ts::kernels {

SwiGlu::SwiGlu(Builder& builder, const std::string& path, std::int64_t width, std::int64_t hidden)
    : path_(path),
      w1_(builder, path + ".w1", width, hidden, Bias::none),
      w2_(builder, path + ".w2", hidden, width, Bias::none),
      w3_(builder, path + ".w3", width, hidden, Bias::none) {}

at::Tensor SwiGlu::forward(const at::Tensor& x) const {
  const ModuleScope scope(path_);
  at::Tensor gate = at::silu(w1_.forward(x));
  gate = at::mul(gate, w3_.forward(x));
  return w2_.forward(gate);
}

GeluMlp::GeluMlp(Builder& builder, const std::string& path, std::int64_t width, std::int64_t hidden,
                 Bias bias)
    : path_(path),
      up_(builder, path + ".up", width, hidden, bias),
      down_(builder, path + ".down", hidden, width, bias) {}

at::Tensor GeluMlp::forward(const at::Tensor& x) const {
  const ModuleScope scope(path_);
  return down_.forward(at::gelu(up_.forward(x)));
}

std::unique_ptr<FeedForward> make_feed_forward(Builder& builder, const std::string& path,
                                               spec::FeedForward kind, std::int64_t width,
                                               std::int64_t hidden, Bias bias) {
  if (kind == spec::FeedForward::gelu) {
    return std::make_unique<GeluMlp>(builder, path, width, hidden, bias);
  }
  return std::make_unique<SwiGlu>(builder, path, width, hidden);
}

}  // namespace ts::kernels
