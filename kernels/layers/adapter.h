#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "core/spec/workload_math.h"
#include "kernels/layers/builder.h"

namespace ts::kernels {

// A low-rank adapter of a linear layer (LoRA, Hu et al. 2021), operator by operator as PEFT has it:
// scale B A x, in fp32 whatever the type of the layer, with x cast to fp32 and the sum cast back.
// A: [rank, in], within 1 / sqrt(in), which is Kaiming's uniform distribution for a leaky ReLU of
// slope sqrt(5); B: [out, rank], zero at first, so that the layer begins as without.
class Adapter {
 public:
  // Draws A and B; they are no parameters yet. `path`: of the layer.
  Adapter(Builder& builder, const std::string& path, std::int64_t in, std::int64_t out,
          const spec::Lora& lora);
  // Makes them parameters that are trained.
  void keep(Builder& builder) const;
  // y + scale B A x, of the type of y. x: [..., in], y: [..., out].
  [[nodiscard]] at::Tensor add_to(at::Tensor y, const at::Tensor& x) const;
  // W += scale B A, rounded once. W: [out, in].
  void merge_into(const at::Tensor& weight) const;

  [[nodiscard]] const at::Tensor& a() const { return a_; }
  [[nodiscard]] const at::Tensor& b() const { return b_; }

 private:
  std::string path_a_;
  std::string path_b_;
  double scale_;
  at::Tensor a_;
  at::Tensor b_;
};

}  // namespace ts::kernels
