#include "kernels/layers/transformer_block.h"

#include <ATen/ops/add.h>

#include "kernels/observe/module_scope.h"

namespace ts::kernels {

BlockSettings make_block_settings(Builder& builder, const run::WorkloadSpec& spec) {
  BlockSettings settings;
  settings.d_model = spec.d_model;
  settings.heads = spec.heads;
  settings.d_ff = spec.d_ff;
  settings.attention.backend = spec.backend;
  settings.attention.causal = spec.causal;
  settings.attention.causal_mask = make_causal_mask(builder, settings.attention, spec.seq_len);
  settings.rope = std::make_shared<const Rope>(builder, spec.seq_len, spec.d_model / spec.heads);
  return settings;
}

SelfAttention::SelfAttention(Builder& builder, const std::string& path,
                             const BlockSettings& settings)
    : path_(path),
      settings_(settings),
      q_proj_(builder, path + ".q_proj", settings.d_model, settings.d_model, Bias::none),
      k_proj_(builder, path + ".k_proj", settings.d_model, settings.d_model, Bias::none),
      v_proj_(builder, path + ".v_proj", settings.d_model, settings.d_model, Bias::none),
      o_proj_(builder, path + ".o_proj", settings.d_model, settings.d_model, Bias::none) {}

at::Tensor SelfAttention::split_heads(const at::Tensor& x) const {
  return x.unflatten(-1, {settings_.heads, -1}).transpose(1, 2);
}

at::Tensor SelfAttention::forward(const at::Tensor& x) const {
  const ModuleScope scope(path_);
  at::Tensor q = settings_.rope->forward(split_heads(q_proj_.forward(x)));
  at::Tensor k = settings_.rope->forward(split_heads(k_proj_.forward(x)));
  const at::Tensor heads =
      attend(settings_.attention, q, k, split_heads(v_proj_.forward(x))).transpose(1, 2);
  return o_proj_.forward(heads.flatten(-2));
}

TransformerBlock::TransformerBlock(Builder& builder, const std::string& path,
                                   const BlockSettings& settings)
    : path_(path),
      norm1_(builder, path + ".norm1", settings.d_model),
      attention_(builder, path + ".attn", settings),
      norm2_(builder, path + ".norm2", settings.d_model),
      feed_forward_(builder, path + ".ffn", settings.d_model, settings.d_ff) {}

at::Tensor TransformerBlock::forward(at::Tensor x) const {
  const ModuleScope scope(path_);
  x = at::add(x, attention_.forward(norm1_.forward(x)));
  x = at::add(x, feed_forward_.forward(norm2_.forward(x)));
  return x;
}

}  // namespace ts::kernels
