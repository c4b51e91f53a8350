#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "kernels/layers/builder.h"

namespace ts::kernels {

// Rotary positions (Su et al. 2021), theta 10,000: the pair (x[2i], x[2i + 1]) of position t is
// turned by t / theta^(2i / d_head). The tables of cosines and sines are made in fp32, kept in the
// workload's dtype, and shared by all layers. in_fp32: they stay fp32, and x is turned in fp32
// between two casts. Of a wider head the first numbers are turned.
class Rope {
 public:
  // d_head: the numbers that are turned; must be even.
  Rope(Builder& builder, std::int64_t seq_len, std::int64_t d_head, bool in_fp32 = false);
  // x: [B, H, n, d_head or more], the first of its n tokens at `position`.
  at::Tensor forward(const at::Tensor& x, std::int64_t position = 0) const;

 private:
  [[nodiscard]] at::Tensor in_its_type(const at::Tensor& x, std::int64_t position) const;
  [[nodiscard]] at::Tensor turned(const at::Tensor& x, std::int64_t position) const;

  bool in_fp32_;
  at::Tensor cos_;  // [T, d_head / 2]
  at::Tensor sin_;
};

}  // namespace ts::kernels
