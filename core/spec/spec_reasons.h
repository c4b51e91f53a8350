#pragma once

#include "core/spec/workload_spec.h"

// Why a setting does not matter for a spec: the key of the sentence (field.reason.*), null when it
// does matter. One function for each condition; the table of settings refers to them.
namespace ts::spec {

using Reason = const char*(const WorkloadSpec& spec);
Reason reason_sums, reason_adds, reason_length, reason_causal, reason_tied, reason_images,
    reason_image_tokens, reason_joined, reason_frozen, reason_frozen_layers, reason_d_model,
    reason_attention, reason_d_head, reason_layers, reason_d_ff, reason_vocab, reason_device_index,
    reason_t_kv, reason_tiles, reason_block, reason_fused_qkv, reason_mlp, reason_lm,
    reason_max_positions, reason_corpus, reason_generate, reason_autocast, reason_scaler,
    reason_scaler_on, reason_keep_graph, reason_step, reason_momentum, reason_optimizer_state,
    reason_cosine, reason_backward, reason_checkpoint, reason_checkpoint_every, reason_accumulate,
    reason_threads, reason_projections, reason_compile, reason_kernels, reason_norm, reason_softmax,
    reason_silu, reason_cross_entropy, reason_mask, reason_products, reason_rope_fp32,
    reason_lora_on, reason_window, reason_masks, reason_attn_dropout, reason_dropout,
    reason_experts, reason_experts_on, reason_shared_gate, reason_expert_layers, reason_plain_block,
    reason_kv_heads, reason_query_form, reason_latent, reason_rope_width, reason_full_every,
    reason_model, reason_loss, reason_habit;

// A replay repeats what the captured step did, with the same numbers of the host. A step that
// differs from the one before, or whose values the host reads, cannot be replayed.
Reason reason_cuda_graph;

struct FieldRow;
// The reason for fields that a model's file decides. Null for the others.
const char* reason_own_model(const WorkloadSpec& spec, const FieldRow& row);

}  // namespace ts::spec
