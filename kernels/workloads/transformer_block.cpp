#include "kernels/workloads/transformer_block.h"

#include <ATen/ops/add.h>

#include "core/spec/masking.h"
#include "core/spec/workload_math.h"
#include "kernels/layers/dropout.h"
#include "kernels/layers/experts.h"
#include "kernels/observe/module_scope.h"
#include "kernels/workloads/latent_attention.h"

namespace ts::kernels {
namespace {

// The adapters of a layer, or none.
spec::Lora lora_if(bool has, const BlockSettings& settings) {
  return has ? settings.lora : spec::Lora();
}

std::unique_ptr<FeedForward> make_feed_forward_of(Builder& builder, const std::string& path,
                                                  const BlockSettings& settings) {
  if (settings.experts.any()) {
    return std::make_unique<Experts>(builder, path, settings.d_model, settings.experts,
                                     settings.written);
  }
  return make_feed_forward(builder, path, settings.feed_forward, settings.d_model, settings.d_ff,
                           settings.bias, settings.written,
                           lora_if(settings.lora.on == spec::LoraOn::all, settings));
}

Norm norm_of_block(Builder& builder, const std::string& path, const BlockSettings& settings) {
  return {builder, path, settings.norm, settings.d_model, settings.bias, settings.kernels};
}

std::optional<Norm> norm_of_block_if(bool has, Builder& builder, const std::string& path,
                                     const BlockSettings& settings) {
  return has ? std::optional(norm_of_block(builder, path, settings)) : std::nullopt;
}

std::unique_ptr<BlockAttention> make_attention_of(Builder& builder, const std::string& path,
                                                  const BlockSettings& settings) {
  if (settings.latent.any()) return std::make_unique<LatentAttention>(builder, path, settings);
  return std::make_unique<SelfAttention>(builder, path, settings);
}

}  // namespace

at::Tensor split_heads(const at::Tensor& x, std::int64_t heads, const Norm* norm) {
  const at::Tensor split = x.unflatten(-1, {heads, -1});
  return (norm != nullptr ? norm->forward(split) : split).transpose(1, 2);
}

BlockSettings make_block_settings(Builder& builder, const spec::WorkloadSpec& spec) {
  BlockSettings settings;
  settings.d_model = spec.d_model;
  // As Megatron-LM splits a block: q, k, v and the first products of the feed-forward by columns,
  // the products that follow them by rows. Ranks sum what comes out, in place.
  const std::int64_t ways = builder.part().tensor;
  settings.d_head = spec::head_size(spec);
  settings.heads = spec.heads / ways;
  settings.kv_heads = spec::kv_head_count(spec) / ways;
  settings.d_ff = spec.d_ff / ways;
  settings.norm = spec.norm;
  settings.feed_forward = spec.ffn;
  settings.bias = spec.bias ? Bias::zeros : Bias::none;
  settings.query_bias = spec::has_query_biases(spec) ? Bias::zeros : Bias::none;
  settings.query_norms = spec::has_query_norms(spec);
  settings.latent = spec::latent(spec);
  settings.fused_qkv = spec.fused_qkv;
  settings.kernels = spec.kernels;
  settings.written = spec::writing(spec);
  settings.lora = spec::lora(spec);
  settings.dropout = spec::dropping(spec).residual;
  settings.form = spec::block_form(spec);
  settings.post_norms = spec::has_post_norms(spec);
  settings.experts = spec::experts(spec);
  settings.experts.hidden /= ways;
  settings.experts.shared /= ways;
  settings.attention = make_attention_method(builder, spec);
  if (spec.positions == spec::Positions::rope) {
    settings.rope = std::make_shared<const Rope>(
        builder, spec::context_length(spec), spec::turned_size(spec), settings.written.rope_fp32);
  }
  return settings;
}

InputProjections::InputProjections(Builder& builder, const std::string& path,
                                   const BlockSettings& settings)
    : settings_(settings) {
  const std::int64_t q = settings.heads * settings.d_head;
  const std::int64_t kv = settings.kv_heads * settings.d_head;
  const bool all = settings.lora.on != spec::LoraOn::qv;
  const auto add = [&](const char* name, const std::vector<std::int64_t>& widths, bool adapts) {
    layers_.emplace_back(builder, path + name, settings.d_model, widths, settings.query_bias,
                         settings.written.products, lora_if(adapts, settings));
  };
  if (settings.fused_qkv) {
    add(".qkv_proj", {q, kv, kv}, all);
  } else {
    add(".q_proj", {q}, true);
    add(".k_proj", {kv}, all);
    add(".v_proj", {kv}, true);
  }
  if (!settings.query_norms) return;
  const auto norm = [&](const char* name) {
    return Norm(builder, path + name, settings.norm, settings.d_head, Bias::none, settings.kernels);
  };
  q_norm_.emplace(norm(".q_norm"));
  k_norm_.emplace(norm(".k_norm"));
}

InputProjections::Projected InputProjections::forward(const at::Tensor& x,
                                                      std::int64_t position) const {
  const std::int64_t heads = settings_.heads;
  const std::int64_t kv_heads = settings_.kv_heads;
  const Norm* const q_norm = q_norm_ ? &*q_norm_ : nullptr;
  const Norm* const k_norm = k_norm_ ? &*k_norm_ : nullptr;
  Projected out;
  if (!settings_.fused_qkv) {
    // Positions are applied before the next projection runs, so that fewer tensors live at once.
    out.q = turned(split_heads(layers_[0].forward(x), heads, q_norm), position);
    out.k = turned(split_heads(layers_[1].forward(x), kv_heads, k_norm), position);
    out.v = split_heads(layers_[2].forward(x), kv_heads);
    return out;
  }
  const std::int64_t q = heads * settings_.d_head;
  const std::int64_t kv = kv_heads * settings_.d_head;
  const std::vector<at::Tensor> parts = layers_[0].forward(x).split_with_sizes({q, kv, kv}, -1);
  out.q = turned(split_heads(parts[0], heads, q_norm), position);
  out.k = turned(split_heads(parts[1], kv_heads, k_norm), position);
  out.v = split_heads(parts[2], kv_heads);
  return out;
}

at::Tensor InputProjections::turned(const at::Tensor& x, std::int64_t position) const {
  return settings_.rope != nullptr ? settings_.rope->forward(x, position) : x;
}

SelfAttention::SelfAttention(Builder& builder, const std::string& path,
                             const BlockSettings& settings)
    : path_(path),
      method_(settings.attention),
      projections_(builder, path, settings),
      o_proj_(builder, path + ".o_proj", settings.heads * settings.d_head, settings.d_model,
              settings.bias, settings.written.products,
              lora_if(settings.lora.on != spec::LoraOn::qv, settings)) {}

at::Tensor SelfAttention::forward(const at::Tensor& x, const ContextPart& part) const {
  const ModuleScope scope(path_);
  InputProjections::Projected in = projections_.forward(x, part.position);
  if (part.cache != nullptr) {
    auto [k, v] = part.cache->extend(in.k, in.v, part.position);
    in.k = std::move(k);
    in.v = std::move(v);
  }
  // A single token sees all that came before it.
  const bool sees_all = part.position > 0 && in.q.size(2) == 1;
  const AttentionMethod method = sees_all ? unmasked(method_) : method_;
  const at::Tensor heads = attend(method, in.q, in.k, in.v).transpose(1, 2);
  return o_proj_.forward(heads.flatten(-2));
}

TransformerBlock::TransformerBlock(Builder& builder, const std::string& path,
                                   const BlockSettings& settings)
    : path_(path),
      form_(settings.form),
      norm1_(norm_of_block(builder, path + ".norm1", settings)),
      attention_(make_attention_of(builder, path + ".attn", settings)),
      post_norm1_(norm_of_block_if(settings.post_norms, builder, path + ".post_norm1", settings)),
      norm2_(norm_of_block_if(form_ != spec::BlockForm::shared_norm, builder, path + ".norm2",
                              settings)),
      feed_forward_(make_feed_forward_of(builder, path + ".ffn", settings)),
      post_norm2_(norm_of_block_if(settings.post_norms, builder, path + ".post_norm2", settings)),
      dropout_(settings.dropout) {}

at::Tensor TransformerBlock::attend(const at::Tensor& normed, const ContextPart& part) const {
  at::Tensor made = attention_->forward(normed, part);
  if (post_norm1_) made = post_norm1_->forward(made);
  return drop(made, dropout_);
}

at::Tensor TransformerBlock::feed(const at::Tensor& normed) const {
  at::Tensor made = feed_forward_->forward(normed);
  if (post_norm2_) made = post_norm2_->forward(made);
  return drop(made, dropout_);
}

at::Tensor TransformerBlock::forward(at::Tensor x, const ContextPart& part) const {
  const ModuleScope scope(path_);
  if (form_ == spec::BlockForm::serial) {
    x = at::add(x, attend(norm1_.forward(x), part));
    x = at::add(x, feed(norm2_->forward(x)));
    return x;
  }
  at::Tensor normed = norm1_.forward(x);
  const at::Tensor attended = attend(normed, part);
  if (norm2_) normed = norm2_->forward(x);
  return at::add(x, at::add(attended, feed(normed)));
}

const Experts* TransformerBlock::experts() const {
  return dynamic_cast<const Experts*>(feed_forward_.get());
}

}  // namespace ts::kernels
