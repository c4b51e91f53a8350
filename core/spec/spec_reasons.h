#pragma once

#include "core/spec/workload_spec.h"

// Why a setting does not matter for a spec: the key of the sentence (field.reason.*), null when it
// does matter. One function for each condition; the table of settings refers to them.
namespace ts::spec {

const char* reason_sums(const WorkloadSpec& spec);
const char* reason_adds(const WorkloadSpec& spec);
const char* reason_length(const WorkloadSpec& spec);
const char* reason_causal(const WorkloadSpec& spec);
const char* reason_tied(const WorkloadSpec& spec);
const char* reason_images(const WorkloadSpec& spec);
const char* reason_image_tokens(const WorkloadSpec& spec);
const char* reason_joined(const WorkloadSpec& spec);
const char* reason_frozen(const WorkloadSpec& spec);
const char* reason_frozen_layers(const WorkloadSpec& spec);
const char* reason_d_model(const WorkloadSpec& spec);
const char* reason_attention(const WorkloadSpec& spec);
const char* reason_d_head(const WorkloadSpec& spec);
const char* reason_layers(const WorkloadSpec& spec);
const char* reason_d_ff(const WorkloadSpec& spec);
const char* reason_vocab(const WorkloadSpec& spec);
const char* reason_device_index(const WorkloadSpec& spec);
const char* reason_t_kv(const WorkloadSpec& spec);
const char* reason_tiles(const WorkloadSpec& spec);
const char* reason_block(const WorkloadSpec& spec);
const char* reason_fused_qkv(const WorkloadSpec& spec);
const char* reason_mlp(const WorkloadSpec& spec);
const char* reason_lm(const WorkloadSpec& spec);
const char* reason_max_positions(const WorkloadSpec& spec);
const char* reason_corpus(const WorkloadSpec& spec);
const char* reason_generate(const WorkloadSpec& spec);
const char* reason_autocast(const WorkloadSpec& spec);
const char* reason_scaler(const WorkloadSpec& spec);
const char* reason_scaler_on(const WorkloadSpec& spec);
const char* reason_keep_graph(const WorkloadSpec& spec);
const char* reason_step(const WorkloadSpec& spec);
const char* reason_momentum(const WorkloadSpec& spec);
const char* reason_optimizer_state(const WorkloadSpec& spec);
const char* reason_cosine(const WorkloadSpec& spec);
const char* reason_backward(const WorkloadSpec& spec);
const char* reason_checkpoint(const WorkloadSpec& spec);
const char* reason_checkpoint_every(const WorkloadSpec& spec);
const char* reason_accumulate(const WorkloadSpec& spec);
const char* reason_threads(const WorkloadSpec& spec);
// A replay repeats what the captured step did, with the same numbers of the host. A step that
// differs from the one before, or whose values the host reads, cannot be replayed.
const char* reason_cuda_graph(const WorkloadSpec& spec);
const char* reason_projections(const WorkloadSpec& spec);
const char* reason_compile(const WorkloadSpec& spec);
const char* reason_kernels(const WorkloadSpec& spec);
const char* reason_norm(const WorkloadSpec& spec);
const char* reason_softmax(const WorkloadSpec& spec);
const char* reason_silu(const WorkloadSpec& spec);
const char* reason_cross_entropy(const WorkloadSpec& spec);
const char* reason_mask(const WorkloadSpec& spec);
const char* reason_products(const WorkloadSpec& spec);
const char* reason_rope_fp32(const WorkloadSpec& spec);
const char* reason_lora_on(const WorkloadSpec& spec);
const char* reason_window(const WorkloadSpec& spec);
const char* reason_masks(const WorkloadSpec& spec);
const char* reason_attn_dropout(const WorkloadSpec& spec);
const char* reason_dropout(const WorkloadSpec& spec);
const char* reason_experts(const WorkloadSpec& spec);
const char* reason_experts_on(const WorkloadSpec& spec);
const char* reason_shared_gate(const WorkloadSpec& spec);
const char* reason_expert_layers(const WorkloadSpec& spec);
const char* reason_plain_block(const WorkloadSpec& spec);
const char* reason_kv_heads(const WorkloadSpec& spec);
const char* reason_query_form(const WorkloadSpec& spec);
const char* reason_latent(const WorkloadSpec& spec);
const char* reason_rope_width(const WorkloadSpec& spec);
const char* reason_full_every(const WorkloadSpec& spec);
const char* reason_model(const WorkloadSpec& spec);
const char* reason_loss(const WorkloadSpec& spec);

struct FieldRow;
// The reason for fields that a model's file decides. Null for the others.
const char* reason_habit(const WorkloadSpec& spec);
const char* reason_own_model(const WorkloadSpec& spec, const FieldRow& row);

}  // namespace ts::spec
