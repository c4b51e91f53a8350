#include <ATen/ops/scaled_dot_product_attention.h>

#include <optional>

#include "kernels/attention/attend.h"
#include "kernels/device/sdpa_steering.h"
#include "kernels/dry_run/sdpa.h"

namespace ts::kernels {

at::Tensor attend_sdpa(const AttentionMethod& method, const at::Tensor& q,
                       const at::Tensor& given_k, const at::Tensor& given_v) {
  // A mask that is a tensor has the causal one in it.
  std::optional<at::Tensor> mask;
  if (method.visible.defined()) mask = first_part(method.visible, q.size(2), given_k.size(2));
  const bool causal = method.causal && !mask;
  const at::Tensor k = mask ? repeat_heads(given_k, q.size(1)) : given_k;
  const at::Tensor v = mask ? repeat_heads(given_v, q.size(1)) : given_v;
  if (q.is_meta()) {
    return attend_sdpa_dry(method.backend,
                           {.causal = causal, .mask = mask, .dropout = method.dropout}, q, k, v);
  }
  const SdpaSteering steering(method.backend);
  const bool grouped = q.size(1) != k.size(1);
  return at::scaled_dot_product_attention(q, k, v, mask, method.dropout, causal,
                                          /*scale=*/std::nullopt, grouped);
}

}  // namespace ts::kernels
