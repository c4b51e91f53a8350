#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

#include "kernels/workloads/transformer_block.h"

namespace ts::kernels {

// Latent attention (DeepSeek-V2, 2024), as spec::Latent has its sizes. Layers: q_proj, or q_a_proj,
// q_a_norm, q_b_proj; kv_a_proj, kv_a_norm, kv_b_proj; o_proj.
//
// With a cache the prompt makes keys and values of all heads as in training. A new token does not:
// the part of kv_b_proj that would make keys multiplies its query, the part that would make values
// its output, and attention is over the cache itself, one key of kv_rank + rope numbers for all
// heads.
class LatentAttention final : public BlockAttention {
 public:
  LatentAttention(Builder& builder, const std::string& path, const BlockSettings& settings);
  [[nodiscard]] at::Tensor forward(const at::Tensor& x, const ContextPart& part) const override;

 private:
  struct Inputs {
    at::Tensor q_nope, q_rope;  // [B, heads, T, nope or rope]
    at::Tensor latent;          // [B, 1, T, kv_rank]
    at::Tensor k_rope;          // [B, 1, T, rope]
  };
  [[nodiscard]] Inputs inputs_of(const at::Tensor& x, std::int64_t position) const;
  // [B, T, heads * value] both.
  [[nodiscard]] at::Tensor over_keys(const Inputs& in) const;
  [[nodiscard]] at::Tensor over_cache(const Inputs& in, const at::Tensor& cached) const;

  std::string path_;
  AttentionMethod method_;
  spec::Latent sizes_;
  std::int64_t heads_;
  std::shared_ptr<const Rope> rope_;
  std::optional<Linear> q_a_;
  std::optional<Norm> q_norm_;
  Linear q_b_;
  Linear kv_a_;
  Norm kv_norm_;
  Linear kv_b_;
  Linear o_proj_;
};

}  // namespace ts::kernels
