#include "kernels/observe/unknown_blocks.h"

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace ts::kernels {
namespace {

enum class When : std::uint8_t {
  always,
  with_gradient,  // its backward
  narrow,         // numbers of 16 bits, complex ones of two
};

struct Operator {
  std::string_view name;
  std::string_view overload = "*";  // "*": all
  When when = When::always;
};

constexpr auto kUnknown = std::to_array<Operator>({
    {"aten::_fft_c2r"},
    {"aten::_linalg_det"},
    {"aten::_linalg_eigh"},
    {"aten::_linalg_slogdet"},
    {"aten::_linalg_solve_ex"},
    {"aten::_linalg_svd"},
    {"aten::linalg_cholesky_ex"},
    {"aten::linalg_eig"},
    {"aten::linalg_inv_ex"},
    {"aten::linalg_lstsq"},
    {"aten::linalg_lu_factor_ex"},
    {"aten::linalg_matrix_exp"},
    {"aten::linalg_qr"},
    {"aten::median", ""},
    {"aten::multinomial"},
    {"aten::prod", ""},
    {"aten::prod", "dim_int"},
    {"aten::renorm"},
    {"aten::rrelu_with_noise"},
    {"aten::soft_margin_loss"},
    {"aten::trace"},
    {"aten::atan2", "", When::with_gradient},
    {"aten::channel_shuffle", "*", When::with_gradient},
    {"aten::max", "", When::with_gradient},
    {"aten::min", "", When::with_gradient},
    {"aten::quantile", "*", When::with_gradient},
    {"aten::_fft_c2c", "*", When::narrow},
    {"aten::_fft_r2c", "*", When::narrow},
    {"aten::avg_pool3d", "*", When::narrow},
    {"aten::cosine_similarity", "*", When::narrow},
    {"aten::cumprod", "*", When::narrow},
    {"aten::index_add", "*", When::narrow},
    {"aten::index_add_", "*", When::narrow},
    {"aten::scatter", "value", When::narrow},
    {"aten::scatter_", "value", When::narrow},
    {"aten::scatter_reduce", "*", When::narrow},
    {"aten::scatter_reduce_", "*", When::narrow},
});

template <typename Wanted>
bool any_output(const at::RecordFunction& function, Wanted wanted) {
  return std::ranges::any_of(function.outputs(), [&](const c10::IValue& value) {
    return value.isTensor() && value.toTensor().defined() && wanted(value.toTensor());
  });
}

bool applies(When when, const at::RecordFunction& function) {
  switch (when) {
    case When::always:
      return true;
    case When::with_gradient:
      return any_output(function, [](const at::Tensor& one) { return one.requires_grad(); });
    case When::narrow:
      return any_output(function, [](const at::Tensor& one) {
        return c10::elementSize(c10::toRealValueType(one.scalar_type())) == 2;
      });
  }
  return false;
}

}  // namespace

bool may_have_unknown_blocks(std::string_view name) {
  return std::ranges::find(kUnknown, name, &Operator::name) != kUnknown.end();
}

bool has_unknown_blocks(const at::RecordFunction& function) {
  const std::string_view name = function.name();
  const auto whole = function.operator_name();
  const std::string_view overload = whole ? std::string_view(whole->overload_name) : "";
  return std::ranges::any_of(kUnknown, [&](const Operator& one) {
    return one.name == name && (one.overload == "*" || one.overload == overload) &&
           applies(one.when, function);
  });
}

}  // namespace ts::kernels
