#include "kernels/layers/linear.h"

#include <ATen/ops/add.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/linear.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/observe/dtype_map.h"
#include "kernels/observe/module_scope.h"

namespace ts::kernels {

Linear::Linear(Builder& builder, const std::string& path, std::int64_t in, std::int64_t out,
               Bias bias, spec::ProductForm products, const spec::Lora& lora)
    : Linear(builder, path, in, std::array{out}, bias, products, lora) {}

Linear::Linear(Builder& builder, const std::string& path, std::int64_t in,
               std::span<const std::int64_t> outs, Bias bias, spec::ProductForm products,
               const spec::Lora& lora)
    : path_(path), products_(products) {
  std::vector<Builder::Rows> matrices;
  for (const std::int64_t out : outs)
    matrices.push_back({out, std::sqrt(2.0 / static_cast<double>(in + out))});
  weight_ = builder.truncated_normal(path + ".weight", matrices, in);
  if (bias == Bias::zeros) bias_ = builder.constant(path + ".bias", std::array{weight_.size(0)}, 0);
  if (lora.rank == 0) return;
  const Adapter adapter(builder, path, in, weight_.size(0), lora);
  if (lora.merged) {
    adapter.merge_into(weight_);
  } else {
    adapter.keep(builder);
    adapter_.emplace(adapter);
  }
}

Linear::Linear(Builder& builder, std::string path, at::Tensor weight, Bias bias,
               spec::ProductForm products)
    : path_(std::move(path)), weight_(std::move(weight)), products_(products) {
  if (bias == Bias::zeros)
    bias_ = builder.constant(path_ + ".bias", std::array{weight_.size(0)}, 0);
}

at::Tensor Linear::forward(const at::Tensor& x) const {
  const ModuleScope scope(path_);
  at::Tensor y =
      products_ == spec::ProductForm::einsum
          ? by_einsum(x)
          : at::linear(x, weight_, bias_.defined() ? std::optional(bias_) : std::nullopt);
  if (adapter_) y = adapter_->add_to(std::move(y), x);
  note_dtype(path_, y);
  return y;
}

at::Tensor Linear::by_einsum(const at::Tensor& x) const {
  at::Tensor y = at::einsum("...i,oi->...o", {x, weight_});
  return bias_.defined() ? at::add(y, bias_) : y;
}

}  // namespace ts::kernels
