#include "kernels/layers/swiglu.h"

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

}  // namespace ts::kernels
