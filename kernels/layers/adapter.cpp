#include "kernels/layers/adapter.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/add.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mul.h>

#include <array>
#include <cmath>

#include "kernels/observe/dtype_map.h"
#include "kernels/observe/module_scope.h"

namespace ts::kernels {
namespace {

at::Tensor product(const std::string& path, const at::Tensor& x, const at::Tensor& weight) {
  const ModuleScope scope(path);
  at::Tensor y = at::linear(x, weight);
  note_dtype(path, y);
  return y;
}

}  // namespace

Adapter::Adapter(Builder& builder, const std::string& path, std::int64_t in, std::int64_t out,
                 const spec::Lora& lora)
    : path_a_(path + ".lora_A"),
      path_b_(path + ".lora_B"),
      scale_(lora.scale),
      a_(builder.uniform_adapter(std::array{lora.rank, in},
                                 1 / std::sqrt(static_cast<double>(in)))),
      b_(builder.uniform_adapter(std::array{out, lora.rank}, 0)) {}

void Adapter::keep(Builder& builder) const {
  builder.keep_trained(path_a_ + ".weight", a_);
  builder.keep_trained(path_b_ + ".weight", b_);
}

// Each result lives as long as in Python.
at::Tensor Adapter::add_to(at::Tensor y, const at::Tensor& x) const {
  const at::ScalarType type = y.scalar_type();
  const at::Tensor wide = x.to(a_.scalar_type());
  at::Tensor added = product(path_b_, product(path_a_, wide, a_), b_);
  added = at::mul(added, scale_);
  const at::Tensor sum = at::add(y, added);
  added.reset();
  y.reset();
  return sum.to(type);
}

void Adapter::merge_into(const at::Tensor& weight) const {
  const at::NoGradGuard no_grad;
  const at::Tensor delta = at::mul(at::matmul(b_, a_), scale_);
  weight.add_(delta);
}

}  // namespace ts::kernels
