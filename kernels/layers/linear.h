#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/spec/workload_math.h"
#include "kernels/layers/adapter.h"
#include "kernels/layers/builder.h"

namespace ts::kernels {

enum class Bias : bool { none, zeros };

// y = x W^T (+ b). W: [out, in], truncated normal with deviation sqrt(2 / (in + out)) (Glorot and
// Bengio 2010); b starts at zero. By the operator linear, or by einsum("...i,oi->...o"), which
// multiplies a view of W: autocast casts it anew in every forward. With `lora` of a rank an adapter
// adds to y, or to W once where it is merged.
class Linear {
 public:
  Linear(Builder& builder, const std::string& path, std::int64_t in, std::int64_t out, Bias bias,
         spec::ProductForm products = spec::ProductForm::matmul, const spec::Lora& lora = {});
  // Several in one: their weights one below the other, each as it would be alone. One adapter is
  // beside all of them.
  Linear(Builder& builder, const std::string& path, std::int64_t in,
         std::span<const std::int64_t> outs, Bias bias,
         spec::ProductForm products = spec::ProductForm::matmul, const spec::Lora& lora = {});
  // Shares an existing weight: [out, in].
  Linear(Builder& builder, std::string path, at::Tensor weight, Bias bias,
         spec::ProductForm products = spec::ProductForm::matmul);
  // x: [..., in]; the result: [..., out].
  at::Tensor forward(const at::Tensor& x) const;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const at::Tensor& weight() const { return weight_; }

 private:
  [[nodiscard]] at::Tensor by_einsum(const at::Tensor& x) const;

  std::string path_;
  at::Tensor weight_;
  at::Tensor bias_;
  std::optional<Adapter> adapter_;
  spec::ProductForm products_ = spec::ProductForm::matmul;
};

}  // namespace ts::kernels
