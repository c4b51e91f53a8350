#include "kernels/attention/attend.h"

#include <array>

#include "core/run/workload_math.h"
#include "kernels/observe/dtype_map.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// Attention alone, on given Q [B, H, T, d_head], K and V [B, H_kv, T_kv, d_head], normal.
class Attention final : public Workload {
 public:
  Attention(Builder& builder, const run::WorkloadSpec& spec) {
    const std::array sizes = {spec.batch, spec.heads, spec.seq_len, spec.d_head};
    const std::array kv_sizes = {spec.batch, run::kv_head_count(spec), run::kv_length(spec),
                                 spec.d_head};
    const bool requires_grad = run::keeps_graph(spec);
    q_ = builder.normal_input(sizes, requires_grad);
    k_ = builder.normal_input(kv_sizes, requires_grad);
    v_ = builder.normal_input(kv_sizes, requires_grad);
    method_ = make_attention_method(builder, spec);
  }

  at::Tensor forward() override {
    at::Tensor output = attend(method_, q_, k_, v_);
    note_dtype("output", output);
    return output;
  }

 private:
  AttentionMethod method_;
  at::Tensor q_, k_, v_;
};

}  // namespace

std::unique_ptr<Workload> make_attention(Builder& builder, const run::WorkloadSpec& spec) {
  return std::make_unique<Attention>(builder, spec);
}

}  // namespace ts::kernels
