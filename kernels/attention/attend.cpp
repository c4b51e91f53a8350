#include "kernels/attention/attend.h"

#include <ATen/ops/bitwise_not.h>
#include <ATen/ops/ones.h>

#include "core/spec/workload_traits.h"
#include "kernels/attention/mask.h"
#include "kernels/layers/checkpoint.h"

namespace ts::kernels {
namespace {

at::Tensor attend_now(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                      const at::Tensor& v) {
  switch (method.backend) {
    case spec::AttentionBackend::naive:
      return attend_naive(method, q, k, v);
    case spec::AttentionBackend::tiled:
      return attend_tiled(method, q, k, v);
    case spec::AttentionBackend::own:
      return attend_own(method.causal, q, k, v, nullptr, {method.tile_q, method.tile_k});
    default:
      return attend_sdpa(method, q, k, v);
  }
}

// The masks that all layers share, where there is more than the causal one.
void make_masks(Builder& builder, const spec::WorkloadSpec& spec, AttentionMethod& method) {
  const bool generates = spec.pass == spec::Pass::generate;
  const std::int64_t queries = generates ? spec::context_length(spec) : spec.seq_len;
  const std::int64_t keys = generates ? queries : spec::kv_length(spec);
  const RowShare share = builder.share();
  method.lengths =
      lengths_of(method.masks, {share.rank * spec.batch, spec.batch, share.ranks * spec.batch},
                 keys, builder.options());
  if (method.lengths.defined()) builder.keep_input(method.lengths);
  const bool naive = spec.backend == spec::AttentionBackend::naive;
  if (naive && method.written.mask != spec::CausalMask::shared) return;
  if (spec.backend == spec::AttentionBackend::tiled) return;
  at::Tensor hidden = hidden_keys(method.masks, {{0, queries}, {0, keys}, keys == queries},
                                  method.lengths, builder.options());
  if (naive) {
    method.hidden = builder.keep_input(hidden);
  } else {
    method.visible = builder.keep_input(at::bitwise_not(hidden));
  }
}

}  // namespace

AttentionMethod make_attention_method(Builder& builder, const spec::WorkloadSpec& spec) {
  AttentionMethod method;
  method.backend = spec.backend;
  method.causal = spec.causal;
  method.tile_q = spec.tile_q;
  method.tile_k = spec.tile_k;
  method.kernels = spec.kernels;
  method.written = spec::writing(spec);
  method.checkpointed = spec::checkpointing(spec) == spec::Checkpoint::attention;
  method.masks = spec::masking(spec);
  method.dropout = spec::dropping(spec).attention;
  method.softcap = spec::softcaps(spec).scores;
  if (method.masks.any()) {
    make_masks(builder, spec, method);
  } else if (spec.backend == spec::AttentionBackend::naive && spec.causal &&
             method.written.mask == spec::CausalMask::shared) {
    const auto options = builder.options().dtype(at::kBool);
    const std::int64_t length = spec::context_length(spec);
    method.hidden = builder.keep_input(at::ones({length, length}, options).triu_(1));
  }
  return method;
}

at::Tensor first_part(const at::Tensor& mask, std::int64_t queries, std::int64_t keys) {
  at::Tensor part = mask;
  if (part.size(-2) > queries) part = part.narrow(-2, 0, queries);
  if (part.size(-1) > keys) part = part.narrow(-1, 0, keys);
  return part;
}

AttentionMethod unmasked(AttentionMethod method) {
  method.causal = false;
  method.masks = {};
  method.hidden.reset();
  method.visible.reset();
  return method;
}

at::Tensor attend(const AttentionMethod& method, const at::Tensor& q, const at::Tensor& k,
                  const at::Tensor& v) {
  if (!method.checkpointed) return attend_now(method, q, k, v);
  return checkpoint(
      [method](const std::vector<at::Tensor>& inputs) {
        return attend_now(method, inputs[0], inputs[1], inputs[2]);
      },
      {q, k, v});
}

}  // namespace ts::kernels
