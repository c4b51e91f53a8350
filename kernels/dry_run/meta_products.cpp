// Matrix products. LibTorch's meta kernels give the result; on cpu a product of a narrow type also
// takes scratch.
#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/addmm_meta_dispatch.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/bmm_meta_dispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mm_meta_dispatch.h>
#include <ATen/record_function.h>
#include <torch/library.h>

#include "kernels/dry_run/matmul_scratch.h"
#include "kernels/dry_run/meta_kernels.h"
#include "kernels/observe/dry_recording.h"

namespace ts::kernels {
namespace {

using at::Tensor;
using Operands = std::vector<Tensor>;

// Short-lived, as oneDNN's blocks are: the result exists already, and nothing follows.
void take_scratch(const char* name, const Operands& operands, const BeginProduct& begin) {
  const DryRecording* const dry = DryRecording::current();
  if (dry == nullptr || dry->for_cuda()) return;
  const Tensor& first = operands.front();
  if (first.scalar_type() == at::kFloat || operands.back().numel() == 0) return;
  std::vector<Tensor> blocks;
  for (const AskedBlock& asked : matmul_scratch(name, operands, begin)) {
    RECORD_FUNCTION(asked.op, c10::ArrayRef<const c10::IValue>{});
    blocks.push_back(at::empty({asked.bytes}, first.options().dtype(at::kByte)));
  }
  while (!blocks.empty()) blocks.pop_back();  // from last to first
}

void scratch_of_mm(const Tensor& self, const Tensor& other, const Tensor& result) {
  take_scratch("mm", {self, other, result}, [](const Operands& of) {
    Tensor out = of[2];
    at::mm_out(out, of[0], of[1]);
  });
}

Tensor mm(const Tensor& self, const Tensor& other) {
  Tensor result = at::meta::mm(self, other);
  scratch_of_mm(self, other, result);
  return result;
}

Tensor& mm_out(const Tensor& self, const Tensor& other, Tensor& result) {
  at::meta::mm_out(result, self, other);
  scratch_of_mm(self, other, result);
  return result;
}

Tensor bmm(const Tensor& self, const Tensor& other) {
  Tensor result = at::meta::bmm(self, other);
  take_scratch("bmm", {self, other, result}, [](const Operands& of) {
    Tensor out = of[2];
    at::bmm_out(out, of[0], of[1]);
  });
  return result;
}

void scratch_of_addmm(const Tensor& bias, const Tensor& self, const Tensor& other,
                      const at::Scalar& beta, const at::Scalar& alpha, const Tensor& result) {
  take_scratch("addmm", {self, other, bias, result}, [&](const Operands& of) {
    Tensor out = of[3];
    at::addmm_out(out, of[2], of[0], of[1], beta, alpha);
  });
}

Tensor addmm(const Tensor& bias, const Tensor& self, const Tensor& other, const at::Scalar& beta,
             const at::Scalar& alpha) {
  Tensor result = at::meta::addmm(bias, self, other, beta, alpha);
  scratch_of_addmm(bias, self, other, beta, alpha, result);
  return result;
}

Tensor& addmm_out(const Tensor& bias, const Tensor& self, const Tensor& other,
                  const at::Scalar& beta, const at::Scalar& alpha, Tensor& result) {
  at::meta::addmm_out(result, bias, self, other, beta, alpha);
  scratch_of_addmm(bias, self, other, beta, alpha, result);
  return result;
}

}  // namespace

void register_meta_products(torch::Library& library) {
  library.impl("mm", mm);
  library.impl("mm.out", mm_out);
  library.impl("bmm", bmm);
  library.impl("addmm", addmm);
  library.impl("addmm.out", addmm_out);
}

}  // namespace ts::kernels
