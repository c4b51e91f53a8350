#include "kernels/attention/attend.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// Attention alone, on given Q, K, V: [B, H, T, d_head], normal.
class Attention final : public Workload {
 public:
  Attention(Builder& builder, const run::WorkloadSpec& spec) {
    const std::array<std::int64_t, 4> sizes = {spec.batch, spec.heads, spec.seq_len, spec.d_head};
    const bool requires_grad = spec.pass != run::Pass::forward;
    q_ = builder.normal_input(sizes, requires_grad);
    k_ = builder.normal_input(sizes, requires_grad);
    v_ = builder.normal_input(sizes, requires_grad);
    method_.backend = spec.backend;
    method_.causal = spec.causal;
    method_.causal_mask = make_causal_mask(builder, method_, spec.seq_len);
  }

  at::Tensor forward() override { return attend(method_, q_, k_, v_); }

 private:
  AttentionMethod method_;
  at::Tensor q_, k_, v_;
};

}  // namespace

std::unique_ptr<Workload> make_attention(Builder& builder, const run::WorkloadSpec& spec) {
  return std::make_unique<Attention>(builder, spec);
}

}  // namespace ts::kernels
