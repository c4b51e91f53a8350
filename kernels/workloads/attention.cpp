#include "kernels/attention/attend.h"

#include <array>

#include "core/spec/workload_math.h"
#include "kernels/observe/dtype_map.h"
#include "kernels/workloads/transformer_block.h"
#include "kernels/workloads/workload.h"

namespace ts::kernels {
namespace {

// Attention alone, on given Q [B, H, T, d_head], K and V [B, H_kv, T_kv, d_head], normal.
class Attention final : public Workload {
 public:
  Attention(Builder& builder, const spec::WorkloadSpec& spec) {
    const std::array sizes = {spec.batch, spec.heads, spec.seq_len, spec.d_head};
    const std::array kv_sizes = {spec.batch, spec::kv_head_count(spec), spec::kv_length(spec),
                                 spec.d_head};
    const bool requires_grad = spec::keeps_graph(spec);
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

BlockSettings projection_settings(const spec::WorkloadSpec& spec) {
  BlockSettings settings;
  settings.d_model = spec.heads * spec.d_head;
  settings.d_head = spec.d_head;
  settings.heads = spec.heads;
  settings.kv_heads = spec::kv_head_count(spec);
  settings.fused_qkv = spec.fused_qkv;
  settings.written = spec::writing(spec);
  return settings;
}

// Self-attention of one input x [B, T, heads * d_head], normal, without an output projection: the
// result stays [B, H, T, d_head].
//   course: W1 (one head) and W10 (fused_qkv)
class ProjectedAttention final : public Workload {
 public:
  ProjectedAttention(Builder& builder, const spec::WorkloadSpec& spec)
      : x_(builder.normal_input(std::array{spec.batch, spec.seq_len, spec.heads * spec.d_head},
                                spec::keeps_graph(spec))),
        projections_(builder, "attention", projection_settings(spec)),
        method_(make_attention_method(builder, spec)) {}

  at::Tensor forward() override {
    const InputProjections::Projected in = projections_.forward(x_, 0);
    at::Tensor output = attend(method_, in.q, in.k, in.v);
    note_dtype("output", output);
    return output;
  }

 private:
  at::Tensor x_;
  InputProjections projections_;
  AttentionMethod method_;
};

}  // namespace

std::unique_ptr<Workload> make_attention(Builder& builder, const spec::WorkloadSpec& spec) {
  if (spec.projections) return std::make_unique<ProjectedAttention>(builder, spec);
  return std::make_unique<Attention>(builder, spec);
}

}  // namespace ts::kernels
