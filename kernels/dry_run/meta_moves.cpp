// Operators that move numbers to other places: where to follows from shapes or from the numbers,
// how much memory they take from shapes alone. From PyTorch 2.11: ATen/native/Sorting.cpp,
// TensorTransformations.cpp, UnfoldBackward.h, Im2Col.cpp, Col2Im.cpp, ReflectionPad.cpp,
// ReplicationPadding.cpp, GatedLinearUnit.cpp, and their counterparts in cuda/.
#include <ATen/WrapDimUtils.h>
#include <ATen/WrapDimUtilsMulti.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/roll.h>
#include <ATen/ops/sort_meta_dispatch.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <ATen/record_function.h>
#include <torch/library.h>

#include <c10/util/accumulate.h>
#include <c10/util/strides.h>

#include <tuple>
#include <vector>

#include "kernels/dry_run/meta_kernels.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;

// The places of a row's numbers come from a range. Longer rows are sorted by cub on cuda, whose
// scratch is its own matter.
std::tuple<Tensor, Tensor> sort(const Tensor& self, std::optional<bool> stable, std::int64_t dim,
                                bool descending) {
  std::tuple<Tensor, Tensor> made = at::meta::sort(self, stable, dim, descending);
  if (DryRecording::current() == nullptr || self.dim() == 0 || self.numel() == 0) return made;
  constexpr std::int64_t kMostOnCuda = 4096;
  const std::int64_t length = self.size(dim);
  if (!DryRecording::follows_cuda() || length <= kMostOnCuda) {
    const Tensor range = at::arange(length, self.options().dtype(at::kLong));
  }
  return made;
}

Tensor flip(const Tensor& self, at::IntArrayRef dims) {
  at::dim_list_to_bitset(dims, self.dim());
  return at::empty_like(self);
}

Tensor roll(const Tensor& self, at::IntArrayRef shifts, at::IntArrayRef dims) {
  if (dims.size() != 1 || shifts.size() != 1) {
    TORCH_CHECK(!shifts.empty(), "`shifts` required");
    if (dims.empty() && shifts.size() == 1) {
      const Tensor flat = self.contiguous().view(self.numel());
      return at::roll(flat, shifts[0], 0).view(self.sizes());
    }
    TORCH_CHECK(shifts.size() == dims.size(), "shifts and dimensions must align");
    const Tensor first = at::roll(self, shifts[0], dims[0]);
    return at::roll(first, shifts.slice(1), dims.slice(1));
  }
  if (self.numel() == 0) return self.clone();
  if (DryRecording::follows_cuda()) {
    const Tensor dense = self.contiguous();
    return at::empty_like(dense, at::MemoryFormat::Contiguous);
  }
  const std::int64_t size = self.size(dims[0]);
  const std::int64_t rest = (size - shifts[0]) % size, start = rest < 0 ? rest + size : rest;
  return at::cat({self.narrow(dims[0], start, size - start), self.narrow(dims[0], 0, start)},
                 dims[0]);
}

Tensor unfold_backward(const Tensor& gradient, at::IntArrayRef sizes, std::int64_t dim,
                       std::int64_t size, std::int64_t step) {
  Tensor result = at::zeros(sizes, gradient.options());
  if (step >= size) return result;
  const std::int64_t length =
      result.dim() == 0 ? 1 : result.size(c10::maybe_wrap_dim(dim, result.dim()));
  const Tensor range = at::arange(length, gradient.options().dtype(at::kLong));
  return result;
}

Tensor glu_backward(const Tensor&, const Tensor& self, std::int64_t) {
  RECORD_FUNCTION("aten::resize_as_", c10::ArrayRef<const c10::IValue>{});
  return at::empty(self.sizes(), self.options());
}

// Patches of images as columns, and back. The result begins as a block of the operand's size, and
// is another one only where it is larger.
Tensor resized_from(const Tensor& self, at::IntArrayRef sizes) {
  Tensor first = at::empty_like(self, at::MemoryFormat::Contiguous);
  const Tensor dense = self.contiguous();
  const std::int64_t numbers = c10::multiply_integers(sizes);
  if (numbers > self.numel()) return at::empty(sizes, self.options());
  return first.as_strided(sizes, c10::contiguous_strides(sizes));
}

Tensor im2col(const Tensor& self, at::IntArrayRef kernel, at::IntArrayRef dilation,
              at::IntArrayRef padding, at::IntArrayRef stride) {
  std::int64_t places = 1;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t size = self.size(static_cast<std::int64_t>(i) - 2);
    places *= (size + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) / stride[i] + 1;
  }
  std::vector<std::int64_t> sizes = {self.size(-3) * kernel[0] * kernel[1], places};
  if (self.dim() == 4) sizes.insert(sizes.begin(), self.size(0));
  return resized_from(self, sizes);
}

Tensor col2im(const Tensor& self, c10::SymIntArrayRef size, at::IntArrayRef kernel, at::IntArrayRef,
              at::IntArrayRef, at::IntArrayRef) {
  std::vector<std::int64_t> sizes = {self.size(-2) / (kernel[0] * kernel[1]), size[0].expect_int(),
                                     size[1].expect_int()};
  if (self.dim() == 3) sizes.insert(sizes.begin(), self.size(0));
  return resized_from(self, sizes);
}

Tensor reflection_pad2d(const Tensor& self, c10::SymIntArrayRef padding) {
  std::vector<std::int64_t> sizes = self.sizes().vec();
  sizes[sizes.size() - 1] += padding[0].expect_int() + padding[1].expect_int();
  sizes[sizes.size() - 2] += padding[2].expect_int() + padding[3].expect_int();
  return at::empty(sizes, self.options().memory_format(self.suggest_memory_format()));
}

// Padding of edges: the backward adds into zeros and wants its gradient dense.
Tensor padding_backward(const Tensor& gradient, const Tensor& self, at::IntArrayRef) {
  Tensor result = at::zeros_like(self, at::MemoryFormat::Contiguous);
  const Tensor dense = gradient.contiguous();
  return result;
}

}  // namespace

void register_meta_moves(torch::Library& library) {
  library.impl("sort.stable", sort);
  library.impl("flip", flip);
  library.impl("roll", roll);
  library.impl("unfold_backward", unfold_backward);
  library.impl("glu_backward", glu_backward);
  library.impl("im2col", im2col);
  library.impl("col2im", col2im);
  library.impl("reflection_pad2d", reflection_pad2d);
  for (const char* const name :
       {"reflection_pad1d_backward", "reflection_pad2d_backward", "reflection_pad3d_backward",
        "replication_pad1d_backward", "replication_pad2d_backward", "replication_pad3d_backward"}) {
    library.impl(name, padding_backward);
  }
}

}  // namespace ts::kernels
