#include "kernels/workloads/latent_attention.h"

#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/mul.h>

#include <cmath>

#include "kernels/observe/module_scope.h"

namespace ts::kernels {

LatentAttention::LatentAttention(Builder& builder, const std::string& path,
                                 const BlockSettings& settings)
    : path_(path),
      method_(settings.attention),
      sizes_(settings.latent),
      heads_(settings.heads),
      rope_(settings.rope),
      q_a_(sizes_.q_rank == 0
               ? std::nullopt
               : std::optional<Linear>(std::in_place, builder, path + ".q_a_proj", settings.d_model,
                                       sizes_.q_rank, Bias::none, settings.written.products)),
      q_norm_(sizes_.q_rank == 0
                  ? std::nullopt
                  : std::optional<Norm>(std::in_place, builder, path + ".q_a_norm", settings.norm,
                                        sizes_.q_rank, Bias::none, settings.kernels)),
      q_b_(builder, path + (q_a_ ? ".q_b_proj" : ".q_proj"),
           q_a_ ? sizes_.q_rank : settings.d_model, heads_ * (sizes_.nope + sizes_.rope),
           Bias::none, settings.written.products),
      kv_a_(builder, path + ".kv_a_proj", settings.d_model, sizes_.kv_rank + sizes_.rope,
            Bias::none, settings.written.products),
      kv_norm_(builder, path + ".kv_a_norm", settings.norm, sizes_.kv_rank, Bias::none,
               settings.kernels),
      kv_b_(builder, path + ".kv_b_proj", sizes_.kv_rank, heads_ * (sizes_.nope + sizes_.value),
            Bias::none, settings.written.products),
      o_proj_(builder, path + ".o_proj", heads_ * sizes_.value, settings.d_model, settings.bias,
              settings.written.products) {}

LatentAttention::Inputs LatentAttention::inputs_of(const at::Tensor& x,
                                                   std::int64_t position) const {
  const auto turned = [&](const at::Tensor& part) {
    return rope_ != nullptr ? rope_->forward(part, position) : part;
  };
  Inputs in;
  const at::Tensor q =
      split_heads(q_b_.forward(q_a_ ? q_norm_->forward(q_a_->forward(x)) : x), heads_);
  in.q_nope = q.narrow(-1, 0, sizes_.nope);
  in.q_rope = turned(q.narrow(-1, sizes_.nope, sizes_.rope));
  const at::Tensor kv = kv_a_.forward(x);
  in.latent = kv_norm_.forward(kv.narrow(-1, 0, sizes_.kv_rank)).unsqueeze(1);
  in.k_rope = turned(kv.narrow(-1, sizes_.kv_rank, sizes_.rope).unsqueeze(1));
  return in;
}

at::Tensor LatentAttention::over_keys(const Inputs& in) const {
  const at::Tensor kv = split_heads(kv_b_.forward(in.latent.squeeze(1)), heads_);
  const at::Tensor k_rope = in.k_rope.expand_as(in.q_rope);
  const at::Tensor q = at::cat({in.q_nope, in.q_rope}, -1);
  const at::Tensor k = at::cat({kv.narrow(-1, 0, sizes_.nope), k_rope}, -1);
  return attend(method_, q, k, kv.narrow(-1, sizes_.nope, sizes_.value))
      .transpose(1, 2)
      .flatten(-2);
}

// All heads of the one new token are queries of one head.
at::Tensor LatentAttention::over_cache(const Inputs& in, const at::Tensor& cached) const {
  const at::Tensor weight = kv_b_.weight().unflatten(0, {heads_, sizes_.nope + sizes_.value});
  const at::Tensor to_keys = weight.narrow(1, 0, sizes_.nope);
  const at::Tensor to_values = weight.narrow(1, sizes_.nope, sizes_.value);
  // [heads, B, kv_rank]
  const at::Tensor low = at::bmm(in.q_nope.squeeze(2).transpose(0, 1), to_keys);
  const at::Tensor q = at::cat({low.transpose(0, 1), in.q_rope.squeeze(2)}, -1).unsqueeze(1);
  // Attention divides by the root of the width that it sees.
  const double scale = std::sqrt(static_cast<double>(sizes_.kv_rank + sizes_.rope) /
                                 static_cast<double>(sizes_.nope + sizes_.rope));
  const at::Tensor found =
      attend(unmasked(method_), at::mul(q, scale), cached, cached.narrow(-1, 0, sizes_.kv_rank));
  const at::Tensor heads =
      at::bmm(found.squeeze(1).transpose(0, 1), to_values.transpose(1, 2)).transpose(0, 1);
  return heads.flatten(1).unsqueeze(1);
}

at::Tensor LatentAttention::forward(const at::Tensor& x, const ContextPart& part) const {
  const ModuleScope scope(path_);
  const Inputs in = inputs_of(x, part.position);
  at::Tensor cached;
  if (part.cache != nullptr) {
    cached = part.cache->extend(at::cat({in.latent, in.k_rope}, -1), {}, part.position).k;
  }
  const bool one_more = part.position > 0 && cached.defined();
  return o_proj_.forward(one_more ? over_cache(in, cached) : over_keys(in));
}

}  // namespace ts::kernels
