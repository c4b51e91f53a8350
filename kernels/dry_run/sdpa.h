#pragma once

#include <ATen/core/Tensor.h>

#include "core/spec/workload_spec.h"

namespace ts::kernels {

// Runs at::scaled_dot_product_attention as on the device whose memory is predicted: chooses the
// kernel as PyTorch 2.11 does there and calls its operator directly. On meta tensors the function
// itself always takes the math path, and its switches are process-wide.
at::Tensor attend_sdpa_dry(spec::AttentionBackend backend, bool causal, const at::Tensor& q,
                           const at::Tensor& k, const at::Tensor& v);

}  // namespace ts::kernels
