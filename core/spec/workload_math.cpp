#include "core/spec/workload_math.h"

#include <algorithm>

#include "core/spec/backend_traits.h"
#include "core/spec/masking.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_traffic.h"
#include "core/spec/workload_traits.h"

namespace ts::spec {

namespace {

// Forward FLOPs of one token.
double of_token(const std::vector<Product>& products) {
  double sum = 0;
  for (const Product& product : products) {
    sum += 2 * static_cast<double>(product.count) * static_cast<double>(product.in) *
           static_cast<double>(product.out);
  }
  return sum;
}

std::int64_t weights_of(const std::vector<Product>& products) {
  std::int64_t sum = 0;
  for (const Product& product : products) sum += product.matrices() * product.in * product.out;
  return sum;
}

// A new token of latent attention meets what keys and values are made of, not these themselves:
// what would make them multiplies its query and its output instead.
double decoded_pair_flops(const WorkloadSpec& spec) {
  const Latent low = latent(spec);
  if (!low.any()) return pair_flops(spec);
  return 2 * static_cast<double>(spec.heads) * static_cast<double>(2 * low.kv_rank + low.rope);
}

// Prefill and decode of one sequence, head for the last position only; multiplied by B.
double generation_flops(const WorkloadSpec& spec, AttentionBackend backend) {
  const auto layers = static_cast<double>(spec.layers);
  const double per_token =
      of_token(block_products(spec, 0, spec.layers)) + of_token(adapter_products(spec));
  const auto windowed = static_cast<double>(windowed_blocks(spec, 0, spec.layers));
  const WorkloadSpec unlimited = without_window(spec);
  const double head = 2 * static_cast<double>(spec.vocab) * static_cast<double>(spec.d_model);
  const auto whole = [&](std::int64_t length) {
    const auto n = static_cast<double>(length);
    const double share = windowed * computed_share(spec, backend, length) +
                         (layers - windowed) * computed_share(unlimited, backend, length);
    return n * per_token + head + n * n * pair_flops(spec) * share;
  };
  // Keys of a new token in all layers: those of its window, where there is one.
  const auto keys_of = [&, window = masking(spec).window](std::int64_t length) {
    const std::int64_t near = window > 0 ? std::min(window, length) : length;
    return windowed * static_cast<double>(near) + (layers - windowed) * static_cast<double>(length);
  };
  double sum = whole(spec.seq_len);
  for (std::int64_t i = 1; i < spec.new_tokens; ++i) {
    const std::int64_t length = spec.seq_len + i;
    sum += spec.kv_cache ? per_token + head + keys_of(length) * decoded_pair_flops(spec)
                         : whole(length);
  }
  return static_cast<double>(spec.batch) * sum;
}

// The FLOPs of a part in all micro-batches.
void add_part(const WorkloadSpec& spec, const ModelPart& part, AttentionBackend backend,
              Flops& flops) {
  const auto micro = static_cast<double>(micro_batches(spec));
  const double matmul = micro * part.rows * of_token(part.products);
  const double attention = micro * attention_flops(part, backend);
  flops.forward += matmul + attention;
  if (!has_backward(spec.pass) || part.backward == 0) return;
  const double scores = traits_of(backend).recomputes_scores ? 2.5 : 2.0;
  flops.backward += part.backward * matmul + scores * attention;
  const Checkpoint checkpoint = checkpointing(spec);
  if (checkpoint == Checkpoint::attention) flops.recompute += attention;
  if (checkpoint == Checkpoint::blocks && part.in_blocks) flops.recompute += matmul + attention;
}

}  // namespace

double computed_share(const WorkloadSpec& spec, AttentionBackend backend, std::int64_t seq_len) {
  if (masking(spec).any()) {
    const bool skips = traits_of(backend).masked == MaskedPairs::skipped_tiles;
    const std::int64_t keys = seq_len == spec.seq_len ? kv_length(spec) : seq_len;
    return skips ? tiled_share(spec, seq_len, keys) : 1;
  }
  if (!spec.causal) return 1;
  const auto length = static_cast<double>(seq_len);
  const MaskedPairs masked = traits_of(backend).masked;
  if (masked == MaskedPairs::computed) return 1;
  if (masked == MaskedPairs::skipped) return (length + 1) / (2 * length);
  double pairs = 0;
  for (std::int64_t row = 0; row < seq_len; row += spec.tile_q) {
    const std::int64_t end = std::min(row + spec.tile_q, seq_len);
    // Whole tiles up to the one that holds the last query's own key.
    const std::int64_t tiles = (end + spec.tile_k - 1) / spec.tile_k;
    const std::int64_t keys = std::min(tiles * spec.tile_k, seq_len);
    pairs += static_cast<double>(end - row) * static_cast<double>(keys);
  }
  return pairs / (length * length);
}

std::int64_t head_size(const WorkloadSpec& spec) {
  const WorkloadTraits& traits = traits_of(spec.workload);
  if (traits.attention_only) return spec.d_head;
  const bool own = spec.head_width > 0 && traits.has_blocks && !traits.sees_images;
  return own ? spec.head_width : spec.d_model / spec.heads;
}

std::int64_t value_size(const WorkloadSpec& spec) {
  const Latent low = latent(spec);
  return low.any() ? low.value : head_size(spec);
}

std::int64_t cached_numbers(const WorkloadSpec& spec) {
  const Latent low = latent(spec);
  return low.any() ? low.kv_rank + low.rope : 2 * kv_head_count(spec) * head_size(spec);
}

double pair_flops(const WorkloadSpec& spec) {
  return 2 * static_cast<double>(spec.heads) *
         static_cast<double>(head_size(spec) + value_size(spec));
}

std::int64_t kv_head_count(const WorkloadSpec& spec) {
  return spec.kv_heads > 0 && !latent(spec).any() ? spec.kv_heads : spec.heads;
}

std::int64_t sequence_length(const WorkloadSpec& spec) {
  const WorkloadTraits& traits = traits_of(spec.workload);
  if (traits.joins_images) return language_of(spec).seq_len;
  return traits.sees_images ? encoder_length(spec) : spec.seq_len;
}

std::int64_t kv_length(const WorkloadSpec& spec) {
  const bool own = spec.seq_len_kv > 0 && field_applies(spec, Field::T_kv);
  return own ? spec.seq_len_kv : sequence_length(spec);
}

std::int64_t context_length(const WorkloadSpec& spec) {
  return sequence_length(spec) + (spec.pass == Pass::generate ? spec.new_tokens : 0);
}

std::int64_t position_rows(const WorkloadSpec& spec) {
  return spec.max_positions > 0 ? spec.max_positions : context_length(spec);
}

std::int64_t micro_batches(const WorkloadSpec& spec) {
  return field_applies(spec, Field::accumulate) ? spec.accumulate : 1;
}

bool keeps_graph(const WorkloadSpec& spec) {
  return has_backward(spec.pass) || (spec.pass == Pass::forward && spec.keep_graph);
}

bool captures_step(const WorkloadSpec& spec) {
  return spec.cuda_graph && field_applies(spec, Field::cuda_graph);
}

bool compiles_step(const WorkloadSpec& spec) {
  return spec.compile != Compile::eager && field_applies(spec, Field::compile);
}

bool uses_own_kernels(const WorkloadSpec& spec) {
  return spec.kernels == Kernels::own && field_applies(spec, Field::kernels);
}

Writing writing(const WorkloadSpec& spec) {
  Writing written;
  if (field_applies(spec, Field::softmax)) written.softmax = spec.softmax;
  if (field_applies(spec, Field::silu)) written.silu = spec.silu;
  if (field_applies(spec, Field::cross_entropy)) written.cross_entropy = spec.cross_entropy;
  if (field_applies(spec, Field::mask)) written.mask = spec.mask;
  if (field_applies(spec, Field::products)) written.products = spec.products;
  if (field_applies(spec, Field::rope_fp32)) written.rope_fp32 = spec.rope_fp32;
  return written;
}

Lora lora(const WorkloadSpec& spec) {
  Lora lora;
  if (spec.lora_rank <= 0 || !field_applies(spec, Field::lora_rank)) return lora;
  lora.rank = spec.lora_rank;
  lora.on = spec.lora_on;
  lora.scale = spec.lora_alpha / static_cast<double>(spec.lora_rank);
  lora.merged = spec.lora_merged;
  return lora;
}

bool trains_adapters(const WorkloadSpec& spec) {
  const Lora low = lora(spec);
  return low.rank > 0 && !low.merged;
}

DataType compute_type(const WorkloadSpec& spec) {
  if (!field_applies(spec, Field::autocast) || spec.autocast == Autocast::off) return spec.dtype;
  return spec.autocast == Autocast::bf16 ? DataType::bf16 : DataType::fp16;
}

Checkpoint checkpointing(const WorkloadSpec& spec) {
  return field_applies(spec, Field::checkpoint) ? spec.checkpoint : Checkpoint::off;
}

bool scales_loss(const WorkloadSpec& spec) {
  return spec.grad_scaler && field_applies(spec, Field::grad_scaler);
}

bool clips(const WorkloadSpec& spec) {
  return spec.clip > 0 && field_applies(spec, Field::clip);
}

Habit habit(const WorkloadSpec& spec) {
  return field_applies(spec, Field::habit) ? spec.habit : Habit::none;
}

bool keeps_graphs(const WorkloadSpec& spec) {
  return habit(spec) == Habit::kept_graph;
}

OptimizerState optimizer_state(const WorkloadSpec& spec) {
  if (!field_applies(spec, Field::optimizer_state)) return OptimizerState::parameter;
  return spec.optimizer_state;
}

std::int64_t moment_bytes(const WorkloadSpec& spec) {
  if (spec.optimizer == OptimizerKind::adamw_8bit) return 2;
  const bool narrow = optimizer_state(spec) == OptimizerState::parameter && !trains_adapters(spec);
  const std::int64_t one = narrow ? bytes_of(spec.dtype) : 4;
  if (spec.optimizer == OptimizerKind::sgd) return spec.momentum > 0 ? one : 0;
  return 2 * one;
}

bool is_plain_adamw(OptimizerKind kind) {
  return kind != OptimizerKind::sgd && kind != OptimizerKind::adamw_8bit;
}

std::int64_t parameter_count(const WorkloadSpec& spec) {
  const WorkloadTraits& traits = traits_of(spec.workload);
  std::int64_t count = traits.other_parameters(spec);
  count += weights_of(traits.products(spec));
  return count + weights_of(adapter_products(spec));
}

std::int64_t trained_count(const WorkloadSpec& spec) {
  if (trains_adapters(spec)) return weights_of(adapter_products(spec));
  return parameter_count(spec) - frozen_count(spec);
}

bool freezes(const WorkloadSpec& spec) {
  return trained_count(spec) != parameter_count(spec);
}

std::int64_t tokens_per_step(const WorkloadSpec& spec) {
  if (!traits_of(spec.workload).has_input) return spec.seq_len;
  if (spec.workload ==
      WorkloadKind::own_model) {  // a size that the file has fixed is not known here
    if (!field_applies(spec, Field::B)) return 0;
    if (!field_applies(spec, Field::T)) return spec.batch * micro_batches(spec);
  }
  if (spec.pass == Pass::generate) return spec.batch * spec.new_tokens;
  return spec.batch * sequence_length(spec) * micro_batches(spec);
}

Flops step_flops(const WorkloadSpec& spec, AttentionBackend backend_ran) {
  Flops flops;
  if (spec.pass == Pass::generate) {
    flops.forward = generation_flops(spec, backend_ran);
    return flops;
  }
  for (const ModelPart& part : model_parts(spec)) add_part(spec, part, backend_ran, flops);
  return flops;
}

AttentionBackend backend_for_formulas(std::string_view backend_ran) {
  if (backend_ran.empty()) return AttentionBackend::automatic;
  for (int i = 0; i < kBackendCount; ++i) {
    const auto backend = static_cast<AttentionBackend>(i);
    if (backend_ran == to_string(backend)) return backend;
  }
  return AttentionBackend::flash;
}

}  // namespace ts::spec
