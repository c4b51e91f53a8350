#include "kernels/layers/rope.h"

#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sub.h>

namespace ts::kernels {

Rope::Rope(Builder& builder, std::int64_t seq_len, std::int64_t d_head, bool in_fp32)
    : in_fp32_(in_fp32) {
  constexpr double kTheta = 10000;
  const auto fp32 = builder.options().dtype(at::kFloat);
  const at::Tensor exponents = at::arange(0, d_head, 2, fp32).div_(-static_cast<double>(d_head));
  const at::Tensor angles = at::outer(at::arange(seq_len, fp32), at::pow(kTheta, exponents));
  const at::ScalarType dtype =
      in_fp32 ? at::kFloat : at::typeMetaToScalarType(builder.options().dtype());
  cos_ = builder.keep_input(at::cos(angles).to(dtype));
  sin_ = builder.keep_input(at::sin(angles).to(dtype));
}

at::Tensor Rope::forward(const at::Tensor& x, std::int64_t position) const {
  const std::int64_t width = 2 * cos_.size(1);
  const std::int64_t rest = x.size(-1) - width;
  if (rest == 0) return in_its_type(x, position);
  const at::Tensor part = in_its_type(x.narrow(-1, 0, width), position);
  return at::cat({part, x.narrow(-1, width, rest)}, -1);
}

at::Tensor Rope::in_its_type(const at::Tensor& x, std::int64_t position) const {
  if (!in_fp32_) return turned(x, position);
  return turned(x.to(at::kFloat), position).to(x.scalar_type());
}

at::Tensor Rope::turned(const at::Tensor& x, std::int64_t position) const {
  const std::int64_t count = x.size(-2);
  const bool all = count == cos_.size(0);
  const at::Tensor cos = all ? cos_ : cos_.narrow(0, position, count);
  const at::Tensor sin = all ? sin_ : sin_.narrow(0, position, count);
  const at::Tensor pairs = x.unflatten(-1, {-1, 2});
  const at::Tensor even = pairs.select(-1, 0);
  const at::Tensor odd = pairs.select(-1, 1);
  at::Tensor turned_even = at::sub(at::mul(even, cos), at::mul(odd, sin));
  at::Tensor turned_odd = at::add(at::mul(even, sin), at::mul(odd, cos));
  return at::stack({std::move(turned_even), std::move(turned_odd)}, -1).flatten(-2);
}

}  // namespace ts::kernels
