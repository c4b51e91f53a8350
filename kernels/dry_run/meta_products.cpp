// Matrix products. LibTorch's meta kernels give the result; a product also copies operands whose
// strides BLAS does not know, and on cpu one of a narrow type takes scratch.
#include <ATen/MetaFunctions.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/baddbmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/record_function.h>
#include <torch/library.h>

#include <algorithm>

#include "kernels/dry_run/matmul_scratch.h"
#include "kernels/dry_run/meta_kernels.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;
using Operands = std::vector<Tensor>;

// True if BLAS can read the last two dimensions as they lie: one has stride 1, and the other steps
// over all of it. The gradient of a sum, whose strides are 0, is none.
// (ATen/native/LinearAlgebra.cpp, addmm_impl_cpu_; ATen/native/cuda/cuBlasCommonArgs.h.)
bool lies_as_matrix(const Tensor& of) {
  const auto at_least = [](std::int64_t stride, std::int64_t size) {
    return stride >= std::max<std::int64_t>(1, size);
  };
  return (of.stride(-2) == 1 && at_least(of.stride(-1), of.size(-2))) ||
         (of.stride(-1) == 1 && at_least(of.stride(-2), of.size(-1)));
}

Tensor copy_of(const Tensor& of) {
  return of.clone(at::MemoryFormat::Contiguous);
}

// A result that lies by rows is made as the transposed product, whose first operand is the second.
void copy_operands(const Tensor& self, const Tensor& other, bool by_rows, bool copy_self,
                   bool copy_other) {
  Tensor first, second;
  if (by_rows ? copy_other : copy_self) first = copy_of(by_rows ? other : self);
  if (by_rows ? copy_self : copy_other) second = copy_of(by_rows ? self : other);
  second.reset();
}

void copies_of_one(const Tensor& self, const Tensor& other, const Tensor& result) {
  const bool cuda = DryRecording::follows_cuda();
  const bool by_columns =
      result.stride(0) == 1 && (result.size(1) == 1 || result.stride(1) >= result.size(0));
  const bool by_rows = cuda ? result.is_contiguous() : !by_columns;
  const auto copied = [cuda](const Tensor& of) {
    return !lies_as_matrix(of) && !(cuda && of.is_non_overlapping_and_dense());
  };
  copy_operands(self, other, by_rows, copied(self), copied(other));
}

// On cuda a batch is copied as a whole. On cpu MKL computes it in one call if both operands lie as
// it knows them; else it is a product for each of the batch. Very small ones need no BLAS.
// (ATen/native/LinearAlgebra.cpp, bmm_out_or_baddbmm_; ATen/native/cuda/Blas.cpp,
// prepare_batch_matrix_for_cublas.)
void copies_of_batch(const Tensor& self, const Tensor& other, const Tensor& result) {
  if (DryRecording::follows_cuda()) {
    const bool by_columns =
        result.stride(1) == 1 && (result.size(2) == 1 || result.stride(2) >= result.size(1));
    const auto copied = [](const Tensor& of) {
      return !lies_as_matrix(of) && !(of.is_contiguous() && of.stride(1) != 0 && of.stride(2) != 0);
    };
    copy_operands(self, other, !by_columns, copied(self), copied(other));
    return;
  }
  constexpr std::int64_t kSmall = 400;
  if (self.size(2) * result.size(1) * result.size(2) < kSmall) return;
  const auto known = [](const Tensor& of) {
    return (of.stride(2) == 1 && of.stride(1) >= of.size(2)) ||
           (of.stride(1) == 1 && of.stride(2) >= of.size(1));
  };
  const bool floating = !at::isReducedFloatingType(result.scalar_type());
  if (floating && known(self) && known(other) && result.is_contiguous()) return;
  for (std::int64_t i = 0; i < result.size(0); ++i)
    copies_of_one(self.select(0, i), other.select(0, i), result.select(0, i));
}

// Short-lived, as oneDNN's blocks are: the result exists already, and nothing follows. What oneDNN
// asks for has the copies of operands, too.
void take_scratch(const char* name, const Operands& operands, const BeginProduct& begin) {
  const Tensor& first = operands.front();
  std::vector<Tensor> blocks;
  for (const AskedBlock& asked : matmul_scratch(name, operands, begin)) {
    RECORD_FUNCTION(asked.op, c10::ArrayRef<const c10::IValue>{});
    blocks.push_back(at::empty({asked.bytes}, first.options().dtype(at::kByte)));
  }
  while (!blocks.empty()) blocks.pop_back();  // from last to first
}

// A product of operands[0] and operands[1] takes these besides its result, operands.back().
void take_blocks(const char* name, const Operands& operands, const BeginProduct& begin) {
  const Tensor& result = operands.back();
  if (DryRecording::current() == nullptr || result.numel() == 0 || operands.front().numel() == 0)
    return;
  if (DryRecording::follows_cpu() && takes_matmul_scratch(result.scalar_type()))
    take_scratch(name, operands, begin);
  else if (result.dim() == 3)
    copies_of_batch(operands[0], operands[1], result);
  else
    copies_of_one(operands[0], operands[1], result);
}

void blocks_of_mm(const Tensor& self, const Tensor& other, const Tensor& result) {
  take_blocks("mm", {self, other, result}, [](const Operands& of) {
    Tensor out = of[2];
    at::mm_out(out, of[0], of[1]);
  });
}

Tensor mm(const Tensor& self, const Tensor& other) {
  Tensor result = at::meta::mm(self, other);
  blocks_of_mm(self, other, result);
  return result;
}

Tensor& mm_out(const Tensor& self, const Tensor& other, Tensor& result) {
  at::meta::mm_out(result, self, other);
  blocks_of_mm(self, other, result);
  return result;
}

Tensor bmm(const Tensor& self, const Tensor& other) {
  Tensor result = at::meta::bmm(self, other);
  take_blocks("bmm", {self, other, result}, [](const Operands& of) {
    Tensor out = of[2];
    at::bmm_out(out, of[0], of[1]);
  });
  return result;
}

Tensor baddbmm(const Tensor& added, const Tensor& self, const Tensor& other, const at::Scalar& beta,
               const at::Scalar& alpha) {
  Tensor result = at::meta::baddbmm(added, self, other, beta, alpha);
  take_blocks("baddbmm", {self, other, added, result}, [&](const Operands& of) {
    Tensor out = of[3];
    at::baddbmm_out(out, of[2], of[0], of[1], beta, alpha);
  });
  return result;
}

void blocks_of_addmm(const Tensor& bias, const Tensor& self, const Tensor& other,
                     const at::Scalar& beta, const at::Scalar& alpha, const Tensor& result) {
  take_blocks("addmm", {self, other, bias, result}, [&](const Operands& of) {
    Tensor out = of[3];
    at::addmm_out(out, of[2], of[0], of[1], beta, alpha);
  });
}

Tensor addmm(const Tensor& bias, const Tensor& self, const Tensor& other, const at::Scalar& beta,
             const at::Scalar& alpha) {
  Tensor result = at::meta::addmm(bias, self, other, beta, alpha);
  blocks_of_addmm(bias, self, other, beta, alpha, result);
  return result;
}

Tensor& addmm_out(const Tensor& bias, const Tensor& self, const Tensor& other,
                  const at::Scalar& beta, const at::Scalar& alpha, Tensor& result) {
  at::meta::addmm_out(result, bias, self, other, beta, alpha);
  blocks_of_addmm(bias, self, other, beta, alpha, result);
  return result;
}

// On cuda a vector of stride 0 is copied. (ATen/native/cuda/Blas.cpp, addmv_out_cuda.)
Tensor& addmv_(Tensor& self, const Tensor& matrix, const Tensor& vector, const at::Scalar& beta,
               const at::Scalar& alpha) {
  at::meta::addmv_(self, matrix, vector, beta, alpha);
  if (DryRecording::current() == nullptr || self.numel() == 0 || matrix.numel() == 0) return self;
  Tensor dense;
  if (DryRecording::follows_cuda() && vector.stride(0) == 0) dense = vector.contiguous();
  const Tensor known = lies_as_matrix(matrix) ? Tensor() : matrix.contiguous();
  return self;
}

}  // namespace

void register_meta_products(torch::Library& library) {
  library.impl("mm", mm);
  library.impl("mm.out", mm_out);
  library.impl("bmm", bmm);
  library.impl("baddbmm", baddbmm);
  library.impl("addmm", addmm);
  library.impl("addmm.out", addmm_out);
  library.impl("addmv_", addmv_);
}

}  // namespace ts::kernels
