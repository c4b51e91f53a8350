#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

#include "core/spec/workload_spec.h"

namespace ts::kernels {

struct SdpaOptions {
  bool causal = false;
  std::optional<at::Tensor> mask = {};  // truth values, or what is added to the scores
  std::optional<double> scale = {};
  double dropout = 0;
  bool broadcasts = false;  // fewer heads of keys are broadcast, not shared by groups of queries
};

// Runs at::scaled_dot_product_attention as on the device whose memory is predicted:
// chooses the kernel as PyTorch 2.11 does there and calls its operator directly. On meta tensors
// the function itself always takes the math path, and its switches are process-wide.
// q, k, v: [B, H, T, d_head].
at::Tensor attend_sdpa_dry(spec::AttentionBackend backend, const SdpaOptions& options,
                           const at::Tensor& q, const at::Tensor& k, const at::Tensor& v);

}  // namespace ts::kernels
