#include "core/spec/spec_reasons.h"

#include "core/spec/masking.h"
#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"

namespace ts::spec {

namespace {

const WorkloadTraits& traits(const WorkloadSpec& spec) {
  return traits_of(spec.workload);
}

bool sees_images_alone(const WorkloadSpec& spec) {
  return traits(spec).sees_images && !traits(spec).joins_images;
}

// Masks, dropout and experts are made for models without images.
const char* reason_without_images(const WorkloadSpec& spec) {
  return traits(spec).sees_images ? "field.reason.not_with_images" : nullptr;
}

}  // namespace

const char* reason_sums(const WorkloadSpec& spec) {
  return traits(spec).trains ? nullptr : "field.reason.only_sums";
}

const char* reason_adds(const WorkloadSpec& spec) {
  return traits(spec).has_input ? nullptr : "field.reason.only_adds";
}

const char* reason_length(const WorkloadSpec& spec) {
  return sees_images_alone(spec) ? "field.reason.patches_are_tokens" : nullptr;
}

const char* reason_causal(const WorkloadSpec& spec) {
  if (const char* const reason = reason_attention(spec)) return reason;
  return sees_images_alone(spec) ? "field.reason.patches_see_all" : nullptr;
}

const char* reason_tied(const WorkloadSpec& spec) {
  return traits(spec).joins_images ? nullptr : reason_lm(spec);
}

const char* reason_images(const WorkloadSpec& spec) {
  return traits(spec).sees_images ? nullptr : "field.reason.no_images";
}

const char* reason_image_tokens(const WorkloadSpec& spec) {
  if (const char* const reason = reason_images(spec)) return reason;
  if (spec.pool == Pool::class_token) return "field.reason.no_fewer_tokens";
  const bool one = spec.pool == Pool::mean && !traits(spec).joins_images;
  return one ? "field.reason.one_mean" : nullptr;
}

const char* reason_joined(const WorkloadSpec& spec) {
  return traits(spec).joins_images ? nullptr : "field.reason.only_vlm";
}

const char* reason_frozen(const WorkloadSpec& spec) {
  if (const char* const reason = reason_joined(spec)) return reason;
  if (trains_adapters(spec)) return "field.reason.adapters_alone";
  return keeps_graph(spec) ? nullptr : "field.reason.no_backward";
}

const char* reason_frozen_layers(const WorkloadSpec& spec) {
  if (traits(spec).joins_images) return "field.reason.parts_are_frozen";
  if (const char* const reason = reason_layers(spec)) return reason;
  if (trains_adapters(spec)) return "field.reason.adapters_alone";
  return keeps_graph(spec) ? nullptr : "field.reason.no_backward";
}

const char* reason_d_model(const WorkloadSpec& spec) {
  if (const char* const reason = reason_adds(spec)) return reason;
  return traits(spec).attention_only ? "field.reason.heads_times_d_head" : nullptr;
}

const char* reason_attention(const WorkloadSpec& spec) {
  if (traits(spec).from_file) {
    const auto model = model_of(spec);
    return model && model->attends() ? nullptr : "field.reason.no_attention";
  }
  return traits(spec).attends ? nullptr : "field.reason.no_attention";
}

const char* reason_d_head(const WorkloadSpec& spec) {
  if (const char* const reason = reason_attention(spec)) return reason;
  return traits(spec).attention_only ? nullptr : "field.reason.d_head_is_derived";
}

const char* reason_layers(const WorkloadSpec& spec) {
  const bool stacks = traits(spec).language_model || traits(spec).sees_images;
  return stacks ? nullptr : "field.reason.only_lm_has_layers";
}

const char* reason_d_ff(const WorkloadSpec& spec) {
  return traits(spec).feed_forward ? nullptr : "field.reason.no_feed_forward";
}

const char* reason_vocab(const WorkloadSpec& spec) {
  return traits(spec).has_vocabulary ? nullptr : "field.reason.no_vocabulary";
}

const char* reason_device_index(const WorkloadSpec& spec) {
  return spec.device == DeviceKind::cpu ? "field.reason.one_cpu" : nullptr;
}

const char* reason_threads(const WorkloadSpec& spec) {
  return spec.device == DeviceKind::cpu ? nullptr : "field.reason.only_cpu";
}

const char* reason_cuda_graph(const WorkloadSpec& spec) {
  if (spec.device == DeviceKind::cpu) return "field.reason.only_gpu";
  if (const char* const reason = reason_sums(spec)) return reason;
  if (spec.pass == Pass::generate) return "field.reason.tokens_differ";
  if (dropping(spec).any()) return "field.reason.draws_differ";
  if (spec.pass != Pass::full_step) return nullptr;
  if (spec.schedule != Schedule::constant) return "field.reason.rate_differs";
  if (spec.optimizer != OptimizerKind::adamw_fused && spec.optimizer != OptimizerKind::sgd) {
    return "field.reason.host_counts_steps";
  }
  const bool scaled = spec.grad_scaler && reason_scaler(spec) == nullptr;
  return scaled && spec.optimizer == OptimizerKind::sgd ? "field.reason.host_skips" : nullptr;
}

const char* reason_projections(const WorkloadSpec& spec) {
  return traits(spec).attention_only ? nullptr : "field.reason.only_attention_alone";
}

const char* reason_compile(const WorkloadSpec& spec) {
  if (traits(spec).from_file) return "field.reason.model_not_compiled";
  if (const char* const reason = reason_sums(spec)) return reason;
  if (traits(spec).sees_images) return "field.reason.images_not_compiled";
  if (spec.device != DeviceKind::cpu) return "field.reason.compiled_for_cpu";
  if (spec.pass == Pass::generate) return "field.reason.tokens_grow";
  if (spec.pass == Pass::forward && spec.keep_graph) return "field.reason.compiled_without_graph";
  if (traits(spec).one_operator) return "field.reason.operator_not_compiled";
  if (traits(spec).attends && spec.backend == AttentionBackend::own) {
    return "field.reason.own_not_compiled";
  }
  if (reason_tiles(spec) == nullptr) return "field.reason.tiles_not_compiled";
  if (uses_own_kernels(spec)) return "field.reason.own_kernels_not_compiled";
  if (writing(spec) != Writing()) return "field.reason.written_not_compiled";
  if (trains_adapters(spec)) return "field.reason.adapters_not_compiled";
  if (masking(spec).any()) return "field.reason.masks_not_compiled";
  if (dropping(spec).any()) return "field.reason.dropout_not_compiled";
  if (experts(spec).any()) return "field.reason.experts_not_compiled";
  const FeedForward form = traits(spec).chooses_mlp ? spec.mlp : spec.ffn;
  const bool other_form = traits(spec).feed_forward && form == FeedForward::geglu;
  if (has_own_heads(spec) || has_own_form(spec) || other_form)
    return "field.reason.form_not_compiled";
  if (frozen_layers(spec) > 0) return "field.reason.frozen_not_compiled";
  const bool checkpoints = reason_checkpoint(spec) == nullptr && spec.checkpoint != Checkpoint::off;
  return checkpoints ? "field.reason.inductor_recomputes" : nullptr;
}

const char* reason_t_kv(const WorkloadSpec& spec) {
  if (const char* const reason = reason_attention(spec)) return reason;
  if (!traits(spec).attention_only) return "field.reason.self_attention";
  return spec.projections ? "field.reason.one_input" : nullptr;
}

const char* reason_tiles(const WorkloadSpec& spec) {
  if (const char* const reason = reason_attention(spec)) return reason;
  if (spec.backend == AttentionBackend::own) {
    return spec.device == DeviceKind::cuda ? "field.reason.tiles_of_stage" : nullptr;
  }
  return spec.backend == AttentionBackend::tiled ? nullptr : "field.reason.only_tiled";
}

const char* reason_block(const WorkloadSpec& spec) {
  return traits(spec).has_blocks ? nullptr : "field.reason.no_blocks";
}

const char* reason_fused_qkv(const WorkloadSpec& spec) {
  if (!traits(spec).attention_only) {
    const char* const reason = reason_block(spec);
    return reason == nullptr && latent(spec).any() ? "field.reason.latent_keys" : reason;
  }
  return spec.projections ? nullptr : "field.reason.no_projections";
}

const char* reason_mlp(const WorkloadSpec& spec) {
  return traits(spec).chooses_mlp ? nullptr : "field.reason.only_mlp";
}

const char* reason_lm(const WorkloadSpec& spec) {
  return traits(spec).language_model ? nullptr : "field.reason.only_lm";
}

const char* reason_max_positions(const WorkloadSpec& spec) {
  if (const char* const reason = reason_lm(spec)) return reason;
  return spec.positions == Positions::learned ? nullptr : "field.reason.only_learned";
}

const char* reason_corpus(const WorkloadSpec& spec) {
  if (const char* const reason = reason_lm(spec)) return reason;
  return spec.corpus.empty() ? "field.reason.no_corpus" : nullptr;
}

const char* reason_generate(const WorkloadSpec& spec) {
  if (const char* const reason = reason_lm(spec)) return reason;
  return spec.pass == Pass::generate ? nullptr : "field.reason.only_generate";
}

const char* reason_autocast(const WorkloadSpec& spec) {
  if (const char* const reason = reason_sums(spec)) return reason;
  const bool wide = spec.dtype == DataType::fp32 || spec.dtype == DataType::tf32;
  return wide ? nullptr : "field.reason.already_16_bits";
}

const char* reason_scaler(const WorkloadSpec& spec) {
  if (const char* const reason = reason_step(spec)) return reason;
  const bool narrow = reason_autocast(spec) == nullptr && spec.autocast != Autocast::off;
  return narrow ? nullptr : "field.reason.scaler_is_for_autocast";
}

const char* reason_scaler_on(const WorkloadSpec& spec) {
  if (const char* const reason = reason_scaler(spec)) return reason;
  return spec.grad_scaler ? nullptr : "field.reason.scaler_is_off";
}

const char* reason_keep_graph(const WorkloadSpec& spec) {
  if (const char* const reason = reason_sums(spec)) return reason;
  if (spec.pass == Pass::generate) return "field.reason.generates";
  return spec.pass == Pass::forward ? nullptr : "field.reason.graph_is_kept";
}

const char* reason_step(const WorkloadSpec& spec) {
  return spec.pass == Pass::full_step ? nullptr : "field.reason.no_optimizer";
}

const char* reason_momentum(const WorkloadSpec& spec) {
  if (const char* const reason = reason_step(spec)) return reason;
  return spec.optimizer == OptimizerKind::sgd ? nullptr : "field.reason.only_sgd";
}

const char* reason_optimizer_state(const WorkloadSpec& spec) {
  if (const char* const reason = reason_step(spec)) return reason;
  if (spec.optimizer == OptimizerKind::adamw_8bit) return "field.reason.state_has_8_bits";
  const bool wide = spec.dtype == DataType::fp32 || spec.dtype == DataType::tf32;
  return wide || trains_adapters(spec) ? "field.reason.state_is_fp32" : nullptr;
}

const char* reason_cosine(const WorkloadSpec& spec) {
  if (const char* const reason = reason_step(spec)) return reason;
  return spec.schedule == Schedule::cosine ? nullptr : "field.reason.only_cosine";
}

const char* reason_backward(const WorkloadSpec& spec) {
  return has_backward(spec.pass) ? nullptr : "field.reason.no_backward";
}

const char* reason_checkpoint(const WorkloadSpec& spec) {
  if (traits(spec).from_file) {
    const auto model = model_of(spec);
    if (!model || !model->checkpointed()) return "field.reason.no_repeated_modules";
  } else if (const char* const reason = reason_block(spec)) {
    return reason;
  }
  return reason_backward(spec);
}

const char* reason_checkpoint_every(const WorkloadSpec& spec) {
  if (const char* const reason = reason_checkpoint(spec)) return reason;
  if (const char* const reason = reason_layers(spec)) return reason;
  return spec.checkpoint == Checkpoint::blocks ? nullptr : "field.reason.only_blocks";
}

const char* reason_accumulate(const WorkloadSpec& spec) {
  const bool has_batches = traits(spec).from_file || traits(spec).sees_images;
  if (const char* const reason = has_batches ? nullptr : reason_lm(spec)) return reason;
  return reason_backward(spec);
}

const char* reason_kernels(const WorkloadSpec& spec) {
  if (const char* const reason = reason_sums(spec)) return reason;
  const bool softmax = traits(spec).attends && spec.backend == AttentionBackend::naive;
  return traits(spec).own_kernels || softmax ? nullptr : "field.reason.no_own_kernels";
}

const char* reason_norm(const WorkloadSpec& spec) {
  return traits(spec).normalises ? nullptr : reason_block(spec);
}

const char* reason_softmax(const WorkloadSpec& spec) {
  if (const char* const reason = reason_attention(spec)) return reason;
  if (spec.backend != AttentionBackend::naive) return "field.reason.only_naive";
  return uses_own_kernels(spec) ? "field.reason.own_kernel_does_it" : nullptr;
}

const char* reason_silu(const WorkloadSpec& spec) {
  const bool chooses = traits(spec).chooses_mlp;
  if (!chooses && !traits(spec).has_blocks) return "field.reason.no_feed_forward";
  const FeedForward form = chooses ? spec.mlp : spec.ffn;
  return form == FeedForward::swiglu ? nullptr : "field.reason.only_swiglu";
}

const char* reason_cross_entropy(const WorkloadSpec& spec) {
  if (const char* const reason = traits(spec).sees_images ? nullptr : reason_lm(spec))
    return reason;
  if (const char* const reason = reason_backward(spec)) return reason;
  if (sees_images_alone(spec)) return nullptr;
  return uses_own_kernels(spec) ? "field.reason.own_kernel_does_it" : nullptr;
}

const char* reason_mask(const WorkloadSpec& spec) {
  if (const char* const reason = reason_attention(spec)) return reason;
  if (spec.backend != AttentionBackend::naive) return "field.reason.only_naive";
  const bool causal = spec.causal && reason_causal(spec) == nullptr;
  return causal || masking(spec).any() ? nullptr : "field.reason.not_causal";
}

const char* reason_products(const WorkloadSpec& spec) {
  if (!traits(spec).attention_only) return reason_block(spec);
  const bool some = spec.projections || spec.backend == AttentionBackend::naive;
  return some ? nullptr : "field.reason.only_naive";
}

const char* reason_rope_fp32(const WorkloadSpec& spec) {
  if (const char* const reason = reason_block(spec)) return reason;
  if (spec.positions != Positions::rope) return "field.reason.only_rope";
  const DataType type = compute_type(spec);
  const bool wide = type == DataType::fp32 || type == DataType::tf32;
  return wide ? "field.reason.rope_is_fp32" : nullptr;
}

const char* reason_lora_on(const WorkloadSpec& spec) {
  if (const char* const reason = reason_block(spec)) return reason;
  return spec.lora_rank > 0 ? nullptr : "field.reason.no_adapters";
}

const char* reason_window(const WorkloadSpec& spec) {
  if (const char* const reason = reason_without_images(spec)) return reason;
  return reason_attention(spec);
}

const char* reason_masks(const WorkloadSpec& spec) {
  if (const char* const reason = reason_window(spec)) return reason;
  return spec.pass == Pass::generate ? "field.reason.generate_causal" : nullptr;
}

const char* reason_attn_dropout(const WorkloadSpec& spec) {
  if (const char* const reason = reason_without_images(spec)) return reason;
  if (const char* const reason = reason_attention(spec)) return reason;
  return keeps_graph(spec) ? nullptr : "field.reason.nothing_dropped";
}

const char* reason_dropout(const WorkloadSpec& spec) {
  if (const char* const reason = reason_without_images(spec)) return reason;
  if (const char* const reason = reason_block(spec)) return reason;
  return keeps_graph(spec) ? nullptr : "field.reason.nothing_dropped";
}

const char* reason_experts(const WorkloadSpec& spec) {
  if (const char* const reason = reason_without_images(spec)) return reason;
  if (const char* const reason = reason_block(spec)) return reason;
  return spec.ffn == FeedForward::swiglu ? nullptr : "field.reason.only_swiglu";
}

const char* reason_experts_on(const WorkloadSpec& spec) {
  if (const char* const reason = reason_experts(spec)) return reason;
  return spec.experts > 0 ? nullptr : "field.reason.no_experts";
}

const char* reason_shared_gate(const WorkloadSpec& spec) {
  if (const char* const reason = reason_experts_on(spec)) return reason;
  return spec.shared_ff > 0 ? nullptr : "field.reason.no_shared_expert";
}

const char* reason_expert_layers(const WorkloadSpec& spec) {
  if (const char* const reason = reason_lm(spec)) return reason;
  return reason_experts_on(spec);
}

const char* reason_plain_block(const WorkloadSpec& spec) {
  if (const char* const reason = reason_without_images(spec)) return reason;
  return reason_block(spec);
}

const char* reason_kv_heads(const WorkloadSpec& spec) {
  if (const char* const reason = reason_attention(spec)) return reason;
  return latent(spec).any() ? "field.reason.latent_keys" : nullptr;
}

const char* reason_query_form(const WorkloadSpec& spec) {
  if (const char* const reason = reason_plain_block(spec)) return reason;
  return latent(spec).any() ? "field.reason.latent_keys" : nullptr;
}

const char* reason_latent(const WorkloadSpec& spec) {
  if (const char* const reason = reason_plain_block(spec)) return reason;
  return spec.kv_rank > 0 ? nullptr : "field.reason.no_latent";
}

const char* reason_rope_width(const WorkloadSpec& spec) {
  if (const char* const reason = reason_plain_block(spec)) return reason;
  const bool turns = spec.kv_rank > 0 || spec.positions == Positions::rope;
  return turns ? nullptr : "field.reason.only_rope";
}

const char* reason_full_every(const WorkloadSpec& spec) {
  if (const char* const reason = reason_lm(spec)) return reason;
  return spec.window > 0 ? nullptr : "field.reason.no_window";
}

const char* reason_model(const WorkloadSpec& spec) {
  return traits(spec).from_file ? nullptr : "field.reason.only_own_model";
}

const char* reason_loss(const WorkloadSpec& spec) {
  if (const char* const reason = reason_model(spec)) return reason;
  return reason_backward(spec);
}

const char* reason_habit(const WorkloadSpec& spec) {
  if (const char* const reason = reason_sums(spec)) return reason;
  if (spec.pass == Pass::generate) return "field.reason.generates";
  const bool captured = spec.cuda_graph && reason_cuda_graph(spec) == nullptr;
  const bool compiled = spec.compile != Compile::eager && reason_compile(spec) == nullptr;
  return captured || compiled ? "field.reason.step_is_fixed" : nullptr;
}

const char* reason_own_model(const WorkloadSpec& spec, const FieldRow& row) {
  if (!traits(spec).from_file) return nullptr;
  if (is_dimension(row.field)) {
    const auto model = model_of(spec);
    return model ? reason_not_open(*model, row.field) : "field.reason.fixed_in_model";
  }
  if (row.field == Field::backend) return nullptr;
  switch (row.section) {
    case Section::shape:
    case Section::model:
    case Section::attention:
    case Section::data:
    case Section::generation:
      return "field.reason.in_model_file";
    default:
      break;
  }
  return row.field == Field::checkpoint_every ? "field.reason.each_module" : nullptr;
}

}  // namespace ts::spec
