#include "kernels/attention/attend.h"

#include <ATen/ops/ones.h>

namespace ts::kernels {

at::Tensor make_causal_mask(Builder& builder, const AttentionMethod& method, std::int64_t seq_len) {
  if (method.backend != run::AttentionBackend::naive || !method.causal) return {};
  const auto options = builder.options().dtype(at::kBool);
  return builder.keep_input(at::ones({seq_len, seq_len}, options).triu_(1));
}

at::Tensor attend(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                  const at::Tensor& v) {
  if (method.backend == run::AttentionBackend::naive) {
    return attend_naive(q, k, v, method.causal_mask);
  }
  return attend_sdpa(method.backend, method.causal, q, k, v);
}

}  // namespace ts::kernels
