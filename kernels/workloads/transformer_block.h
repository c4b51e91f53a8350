#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/spec/workload_traits.h"
#include "kernels/attention/attend.h"
#include "kernels/layers/feed_forward.h"
#include "kernels/layers/kv_cache.h"
#include "kernels/layers/linear.h"
#include "kernels/layers/norm.h"
#include "kernels/layers/rope.h"

namespace ts::kernels {

class Experts;

// Settings that all blocks of a model share.
struct BlockSettings {
  std::int64_t d_model = 0;
  std::int64_t d_head = 0;
  std::int64_t heads = 0;  // of this rank, as the next two (predict::Share::tensor)
  std::int64_t kv_heads = 0;
  std::int64_t d_ff = 0;
  spec::NormKind norm = spec::NormKind::rmsnorm;
  spec::FeedForward feed_forward = spec::FeedForward::swiglu;
  Bias bias = Bias::none;
  Bias query_bias = Bias::none;  // of the projections to queries, keys and values
  bool query_norms = false;      // of every head of queries and keys
  bool fused_qkv = false;
  spec::Latent latent;
  spec::Kernels kernels = spec::Kernels::torch;
  spec::Writing written;
  spec::Lora lora;
  double dropout = 0;  // of what is added to the residual stream
  spec::BlockForm form = spec::BlockForm::serial;
  bool post_norms = false;
  spec::Experts experts;
  AttentionMethod attention;
  std::shared_ptr<const Rope> rope;  // null: positions are not applied here
};

// The settings of a spec (block or lm), with the mask and the rotary tables made.
BlockSettings make_block_settings(Builder& builder, const spec::WorkloadSpec& spec);

// [B, T, heads * d_head] to [B, heads, T, d_head], each head through a norm where there is one.
at::Tensor split_heads(const at::Tensor& x, std::int64_t heads, const Norm* norm = nullptr);

// The projections of an input x to queries, keys and values, with norms and positions in: three
// layers, or one ("qkv_proj") whose output is cut in three.
class InputProjections {
 public:
  InputProjections(Builder& builder, const std::string& path, const BlockSettings& settings);
  struct Projected {
    at::Tensor q, k, v;  // [B, heads or kv_heads, T, d_head]
  };
  // x: [B, T, d_model], its first token at `position`.
  [[nodiscard]] Projected forward(const at::Tensor& x, std::int64_t position) const;

 private:
  [[nodiscard]] at::Tensor turned(const at::Tensor& x, std::int64_t position) const;

  BlockSettings settings_;
  std::vector<Linear> layers_;  // q, k, v; or the one of all three
  std::optional<Norm> q_norm_, k_norm_;
};

// The attention of a block. x: [B, T, d_model]; the result too.
class BlockAttention {
 public:
  virtual ~BlockAttention() = default;
  [[nodiscard]] virtual at::Tensor forward(const at::Tensor& x, const ContextPart& part) const = 0;
};

// Multi-head self-attention with projections in and out.
class SelfAttention final : public BlockAttention {
 public:
  SelfAttention(Builder& builder, const std::string& path, const BlockSettings& settings);
  [[nodiscard]] at::Tensor forward(const at::Tensor& x, const ContextPart& part) const override;

 private:
  std::string path_;
  AttentionMethod method_;
  InputProjections projections_;
  Linear o_proj_;
};

// Pre-norm block: x += drop(attention(norm(x))); x += drop(feed_forward(norm(x))). In the other
// forms x + (drop(attention(n)) + drop(feed_forward(m))), n and m norms of x, or one. With
// post_norms each part has another norm behind it.
class TransformerBlock {
 public:
  TransformerBlock(Builder& builder, const std::string& path, const BlockSettings& settings);
  // Takes ownership of x, so that without a graph the residual stream is never held twice.
  at::Tensor forward(at::Tensor x, const ContextPart& part = {}) const;
  // Its experts, null where it has none.
  [[nodiscard]] const Experts* experts() const;

 private:
  [[nodiscard]] at::Tensor attend(const at::Tensor& normed, const ContextPart& part) const;
  [[nodiscard]] at::Tensor feed(const at::Tensor& normed) const;

  std::string path_;
  spec::BlockForm form_;
  Norm norm1_;
  std::unique_ptr<BlockAttention> attention_;
  std::optional<Norm> post_norm1_;
  std::optional<Norm> norm2_;
  std::unique_ptr<FeedForward> feed_forward_;
  std::optional<Norm> post_norm2_;
  double dropout_;
};

}  // namespace ts::kernels
