#include "kernels/dry_run/meta_kernels.h"

#include <ATen/ExpandUtils.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

#include <cmath>
#include <vector>

#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;

// item(): any number is valid, because nothing depends on it.
at::Scalar local_scalar_dense(const Tensor&) {
  return 0;
}

// The result lies as the operands do.
Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  return at::TensorIteratorConfig()
      .check_all_same_dtype(false)
      .add_owned_output(Tensor())
      .add_const_input(condition)
      .add_const_input(self)
      .add_const_input(other)
      .declare_static_dtype_and_device(at::result_type(self, other), at::kMeta)
      .build()
      .output();
}

Tensor& where_out(const Tensor&, const Tensor&, const Tensor&, Tensor& out) {
  return out;
}

// LibTorch itself has only kernels that write into a given tensor. Of complex numbers the result is
// complex at first. (ATen/native/UnaryOps.cpp, unary_op_impl_with_complex_to_float_out.)
Tensor abs(const Tensor& self) {
  if (!self.is_complex()) return at::empty_like(self);
  Tensor result =
      at::empty_like(self, self.options().dtype(c10::toRealValueType(self.scalar_type())));
  const Tensor complex = at::empty_like(self);
  return result;
}

// Operators whose result is a block like their operand, whatever their options are.
template <class... Options>
Tensor like_operand(const Tensor& self, Options...) {
  return at::empty_like(self);
}
template <class... Options>
Tensor like_second(const Tensor& /*gradient*/, const Tensor& self, Options...) {
  return at::empty_like(self);
}

Tensor relu(const Tensor& self) {
  return at::clamp_min(self, 0);
}

// LibTorch's kernel resizes an empty tensor, bypassing the allocator.
Tensor arange(const at::Scalar& start, const at::Scalar& end, const at::Scalar& step,
              std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
              std::optional<at::Device>, std::optional<bool>) {
  const double length = std::ceil((end.toDouble() - start.toDouble()) / step.toDouble());
  return at::empty({static_cast<std::int64_t>(length)},
                   at::TensorOptions().device(at::kMeta).dtype(dtype.value_or(at::kLong)));
}
Tensor arange_from(const at::Scalar& start, const at::Scalar& end,
                   std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                   std::optional<at::Device> device, std::optional<bool> pinned) {
  return arange(start, end, 1, dtype, layout, device, pinned);
}
Tensor arange_to(const at::Scalar& end, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pinned) {
  return arange(0, end, 1, dtype, layout, device, pinned);
}

// So does this one.
Tensor eye_of(std::int64_t rows, std::int64_t columns, std::optional<at::ScalarType> dtype,
              std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>) {
  const at::ScalarType type = dtype.value_or(c10::typeMetaToScalarType(at::get_default_dtype()));
  return at::empty({rows, columns}, at::TensorOptions().device(at::kMeta).dtype(type));
}
Tensor eye(std::int64_t rows, std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
           std::optional<at::Device> device, std::optional<bool> pinned) {
  return eye_of(rows, rows, dtype, layout, device, pinned);
}

// These are one operator on a device, and several in Python's decompositions.
Tensor isnan(const Tensor& self) {
  return at::ne(self, self);
}
Tensor polar(const Tensor& size, const Tensor& angle) {
  return at::empty(at::infer_size(size.sizes(), angle.sizes()),
                   size.options().dtype(c10::toComplexType(size.scalar_type())));
}
Tensor addr(const Tensor& self, const Tensor& rows, const Tensor& columns, const at::Scalar&,
            const at::Scalar&) {
  const at::ScalarType type = c10::promoteTypes(
      self.scalar_type(), c10::promoteTypes(rows.scalar_type(), columns.scalar_type()));
  return at::empty({rows.size(0), columns.size(0)}, self.options().dtype(type));
}

// On cpu the classes are looked at first.
Tensor one_hot(const Tensor& self, std::int64_t classes) {
  if (classes < 0) classes = self.max().item().toLong() + 1;
  if (DryRecording::follows_cpu() && self.numel() > 0) {
    self.min();
    self.max();
  }
  std::vector<std::int64_t> sizes = self.sizes().vec();
  sizes.push_back(classes);
  return at::zeros(sizes, self.options());
}

// Updates in place and allocates nothing, on cpu and on cuda.
void fused_adamw(at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                 at::TensorList, double, double, double, double, double, bool, bool,
                 const std::optional<Tensor>&, const std::optional<Tensor>&) {}

// In place as well.
void unscale(at::TensorList, Tensor&, const Tensor&) {}
Tensor& update_scale(Tensor& scale, Tensor&, const Tensor&, double, double, std::int64_t) {
  return scale;
}

}  // namespace

torch::Library& autograd_meta_library() {
  static auto* const library = new torch::Library(
      torch::Library::IMPL, "aten", c10::DispatchKey::AutogradMeta, __FILE__, __LINE__);
  return *library;
}

void register_meta_kernels() {
  static const torch::Library* const library = [] {
    auto* const made = new torch::Library(torch::Library::IMPL, "aten", c10::DispatchKey::Meta,
                                          __FILE__, __LINE__);
    made->impl("_local_scalar_dense", local_scalar_dense);
    made->impl("where.self", where);
    made->impl("where.self_out", where_out);
    made->impl("arange", arange_to);
    made->impl("arange.start", arange_from);
    made->impl("arange.start_step", arange);
    made->impl("eye", eye);
    made->impl("eye.m", eye_of);
    made->impl("isnan", isnan);
    using Number = const at::Scalar&;
    using Choice = std::optional<double>;
    made->impl("nan_to_num", like_operand<Choice, Choice, Choice>);
    made->impl("logit", like_operand<Choice>);
    made->impl("polar", polar);
    made->impl("addr", addr);
    made->impl("one_hot", one_hot);
    made->impl("abs", abs);
    made->impl("hardtanh", like_operand<Number, Number>);
    made->impl("hardtanh_backward", like_second<Number, Number>);
    made->impl("hardswish", like_operand<>);
    made->impl("hardswish_backward", like_second<>);
    made->impl("relu", relu);
    made->impl("_fused_adamw_", fused_adamw);
    made->impl("_amp_foreach_non_finite_check_and_unscale_", unscale);
    made->impl("_amp_update_scale_", update_scale);
    register_meta_activations(*made);
    register_meta_arithmetic(*made);
    register_meta_attention(*made);
    register_meta_attention_cuda(*made);
    register_meta_convolution(*made);
    register_meta_dropout(*made);
    register_meta_embedding(*made);
    register_meta_images(*made);
    register_meta_losses(*made);
    register_meta_moves(*made);
    register_meta_norm(*made);
    register_meta_recurrent(*made);
    register_meta_products(*made);
    register_meta_statistics(*made);
    return made;
  }();
  static_cast<void>(library);
}

}  // namespace ts::kernels
