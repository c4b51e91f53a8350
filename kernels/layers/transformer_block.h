#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>

#include "kernels/attention/attend.h"
#include "kernels/layers/linear.h"
#include "kernels/layers/rms_norm.h"
#include "kernels/layers/rope.h"
#include "kernels/layers/swiglu.h"

namespace ts::kernels {

// What all blocks of a model share.
struct BlockSettings {
  std::int64_t d_model = 0;
  std::int64_t heads = 0;
  std::int64_t d_ff = 0;
  AttentionMethod attention;
  std::shared_ptr<const Rope> rope;
};

// The settings of a spec (block or lm), with the mask and the rotary tables made.
BlockSettings make_block_settings(Builder& builder, const run::WorkloadSpec& spec);

// Multi-head self-attention with rotary positions; four d_model x d_model projections, no biases.
class SelfAttention {
 public:
  SelfAttention(Builder& builder, const std::string& path, const BlockSettings& settings);
  // x: [B, T, d_model]; the result too.
  at::Tensor forward(const at::Tensor& x) const;

 private:
  [[nodiscard]] at::Tensor split_heads(const at::Tensor& x) const;  // to [B, H, T, d_head]

  std::string path_;
  BlockSettings settings_;
  Linear q_proj_;
  Linear k_proj_;
  Linear v_proj_;
  Linear o_proj_;
};

// Pre-norm block: x += attention(norm(x)); x += feed_forward(norm(x)).
class TransformerBlock {
 public:
  TransformerBlock(Builder& builder, const std::string& path, const BlockSettings& settings);
  // Takes x over, so that without a graph the residual stream is never held twice.
  at::Tensor forward(at::Tensor x) const;

 private:
  std::string path_;
  RmsNorm norm1_;
  SelfAttention attention_;
  RmsNorm norm2_;
  SwiGlu feed_forward_;
};

}  // namespace ts::kernels
