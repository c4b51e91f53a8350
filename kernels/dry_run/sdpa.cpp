#include "kernels/dry_run/sdpa.h"

#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>

#include "kernels/dry_run/dry_recording.h"
#include "kernels/observe/name_cache.h"

namespace ts::kernels {
namespace {

using run::AttentionBackend;

AttentionKernel choose(AttentionBackend backend) {
  // On cpu flash takes every shape and type of ours, and comes first.
  return backend == AttentionBackend::math ? AttentionKernel::math : AttentionKernel::flash;
}

}  // namespace

at::Tensor attend_sdpa_dry(AttentionBackend backend, bool causal, const at::Tensor& q,
                           const at::Tensor& k, const at::Tensor& v) {
  switch (choose(backend)) {
    case AttentionKernel::flash:
      return std::get<0>(
          at::_scaled_dot_product_flash_attention_for_cpu(q, k, v, /*dropout_p=*/0.0, causal));
    default:
      return std::get<0>(
          at::_scaled_dot_product_attention_math(q, k, v, {}, /*dropout_p=*/0.0, causal));
  }
}

}  // namespace ts::kernels
