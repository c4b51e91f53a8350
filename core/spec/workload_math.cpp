#include "core/spec/workload_math.h"

#include <algorithm>

#include "core/spec/spec_fields.h"

namespace ts::spec {

namespace {

std::int64_t norm_parameters(const WorkloadSpec& spec) {
  return spec.norm == NormKind::layernorm && spec.bias ? 2 * spec.d_model : spec.d_model;
}

std::int64_t block_parameters(const WorkloadSpec& spec) {
  const std::int64_t d = spec.d_model;
  const std::int64_t qkv = d + 2 * kv_head_count(spec) * head_size(spec);
  std::int64_t count = d * qkv + d * d + 2 * norm_parameters(spec);
  count += (spec.ffn == FeedForward::swiglu ? 3 : 2) * d * spec.d_ff;
  if (spec.bias) count += qkv + d;
  if (spec.bias && spec.ffn == FeedForward::gelu) count += spec.d_ff + d;
  return count;
}

std::int64_t lm_parameters(const WorkloadSpec& spec) {
  std::int64_t count = (spec.tied ? 1 : 2) * spec.vocab * spec.d_model;
  if (spec.positions == Positions::learned) count += context_length(spec) * spec.d_model;
  return count + spec.layers * block_parameters(spec) + norm_parameters(spec);
}

struct Counted {
  double matmul = 0;     // forward FLOPs of plain matrix products
  double attention = 0;  // forward FLOPs of Q K^T and P V, all T x T_kv pairs
};

// Weights of Q, K and V of attention alone; none where they are given.
std::int64_t projection_parameters(const WorkloadSpec& spec) {
  if (!spec.projections) return 0;
  const std::int64_t width = spec.heads * spec.d_head;
  return width * (width + 2 * kv_head_count(spec) * spec.d_head);
}

// Of one token, matrix products of one block but for attention's.
double block_matmul_of_token(const WorkloadSpec& spec) {
  const auto d = static_cast<double>(spec.d_model);
  const auto kv = static_cast<double>(kv_head_count(spec) * head_size(spec));
  const double ffn = (spec.ffn == FeedForward::swiglu ? 3 : 2) * d * static_cast<double>(spec.d_ff);
  return 2 * (2 * d * d + 2 * d * kv + ffn);
}

double block_matmul(const WorkloadSpec& spec) {
  return static_cast<double>(tokens_per_step(spec)) * block_matmul_of_token(spec);
}

double mlp_matmul(const WorkloadSpec& spec) {
  const double products = spec.mlp == FeedForward::swiglu ? 3 : 2;
  return 2 * static_cast<double>(tokens_per_step(spec)) * products *
         static_cast<double>(spec.d_model) * static_cast<double>(spec.d_ff);
}

Counted count_forward(const WorkloadSpec& spec) {
  const auto tokens = static_cast<double>(tokens_per_step(spec));
  const auto d = static_cast<double>(spec.d_model);
  const double attention = 4 * tokens * static_cast<double>(spec.heads) *
                           static_cast<double>(kv_length(spec)) *
                           static_cast<double>(head_size(spec));
  const auto layers = static_cast<double>(spec.layers);
  const auto vocab = static_cast<double>(spec.vocab);
  switch (spec.workload) {
    case WorkloadKind::attention:
      return {2 * tokens * static_cast<double>(projection_parameters(spec)), attention};
    case WorkloadKind::mlp:
      return {mlp_matmul(spec), 0};
    case WorkloadKind::weighted_sum:
      return {2 * tokens * d, 0};
    case WorkloadKind::toy:
      return {2 * tokens * static_cast<double>(spec.d_ff) * (d + vocab), 0};
    case WorkloadKind::block:
      return {block_matmul(spec), attention};
    case WorkloadKind::lm:
      return {layers * block_matmul(spec) + 2 * tokens * vocab * d, layers * attention};
    case WorkloadKind::accumulation:
    case WorkloadKind::layernorm:
      return {};
  }
  return {};
}

// Share of the T x T_kv pairs that a backend computes.
double computed_share(const WorkloadSpec& spec, AttentionBackend backend, std::int64_t seq_len) {
  if (!spec.causal) return 1;
  const auto length = static_cast<double>(seq_len);
  if (backend == AttentionBackend::flash) return (length + 1) / (2 * length);
  if (backend != AttentionBackend::tiled) return 1;
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

// Prefill and decode of one sequence, head for the last position only; times B.
double generation_flops(const WorkloadSpec& spec, AttentionBackend backend) {
  const auto layers = static_cast<double>(spec.layers);
  const double per_token = layers * block_matmul_of_token(spec);
  const double per_pair = layers * 4 * static_cast<double>(spec.d_model);
  const double head = 2 * static_cast<double>(spec.vocab) * static_cast<double>(spec.d_model);
  const auto whole = [&](std::int64_t length) {
    const auto n = static_cast<double>(length);
    return n * per_token + head + n * n * per_pair * computed_share(spec, backend, length);
  };
  double sum = whole(spec.seq_len);
  for (std::int64_t i = 1; i < spec.new_tokens; ++i) {
    const std::int64_t length = spec.seq_len + i;
    sum +=
        spec.kv_cache ? per_token + head + static_cast<double>(length) * per_pair : whole(length);
  }
  return static_cast<double>(spec.batch) * sum;
}

}  // namespace

std::int64_t head_size(const WorkloadSpec& spec) {
  return spec.workload == WorkloadKind::attention ? spec.d_head : spec.d_model / spec.heads;
}

std::int64_t kv_head_count(const WorkloadSpec& spec) {
  return spec.kv_heads > 0 ? spec.kv_heads : spec.heads;
}

std::int64_t kv_length(const WorkloadSpec& spec) {
  return spec.seq_len_kv > 0 && field_applies(spec, Field::T_kv) ? spec.seq_len_kv : spec.seq_len;
}

std::int64_t context_length(const WorkloadSpec& spec) {
  return spec.seq_len + (spec.pass == Pass::generate ? spec.new_tokens : 0);
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
  return spec.compile == Compile::inductor && field_applies(spec, Field::compile);
}

DataType compute_type(const WorkloadSpec& spec) {
  if (!field_applies(spec, Field::autocast) || spec.autocast == Autocast::off) return spec.dtype;
  return spec.autocast == Autocast::bf16 ? DataType::bf16 : DataType::fp16;
}

Checkpoint checkpointing(const WorkloadSpec& spec) {
  return field_applies(spec, Field::checkpoint) ? spec.checkpoint : Checkpoint::off;
}

std::int64_t parameter_count(const WorkloadSpec& spec) {
  switch (spec.workload) {
    case WorkloadKind::attention:
      return projection_parameters(spec);
    case WorkloadKind::mlp:
      return spec.mlp == FeedForward::swiglu
                 ? 3 * spec.d_model * spec.d_ff
                 : 2 * spec.d_model * spec.d_ff + spec.d_ff + spec.d_model;
    case WorkloadKind::weighted_sum:
      return spec.d_model;
    case WorkloadKind::toy:
      return spec.d_ff * (spec.d_model + spec.vocab + 2);
    case WorkloadKind::block:
      return block_parameters(spec);
    case WorkloadKind::lm:
      return lm_parameters(spec);
    case WorkloadKind::accumulation:
    case WorkloadKind::layernorm:
      return 0;
  }
  return 0;
}

std::int64_t tokens_per_step(const WorkloadSpec& spec) {
  if (spec.workload == WorkloadKind::accumulation) return spec.seq_len;
  if (spec.pass == Pass::generate) return spec.batch * spec.new_tokens;
  return spec.batch * spec.seq_len * micro_batches(spec);
}

Flops step_flops(const WorkloadSpec& spec, AttentionBackend backend_ran) {
  const bool recomputes_scores =
      backend_ran == AttentionBackend::flash || backend_ran == AttentionBackend::tiled;
  Flops flops;
  if (spec.pass == Pass::generate) {
    flops.forward = generation_flops(spec, backend_ran);
    return flops;
  }
  Counted counted = count_forward(spec);
  counted.attention *= computed_share(spec, backend_ran, spec.seq_len);
  flops.forward = counted.matmul + counted.attention;
  if (!has_backward(spec.pass)) return flops;
  flops.backward = 2 * counted.matmul + (recomputes_scores ? 2.5 : 2.0) * counted.attention;
  if (checkpointing(spec) == Checkpoint::attention) flops.recompute = counted.attention;
  if (checkpointing(spec) == Checkpoint::blocks) {
    const double blocks = spec.workload == WorkloadKind::lm ? static_cast<double>(spec.layers) : 1;
    flops.recompute = blocks * block_matmul(spec) + counted.attention;
  }
  return flops;
}

AttentionBackend backend_for_formulas(std::string_view backend_ran) {
  if (backend_ran.empty()) return AttentionBackend::automatic;
  if (backend_ran == "naive") return AttentionBackend::naive;
  if (backend_ran == "math") return AttentionBackend::math;
  if (backend_ran == "tiled") return AttentionBackend::tiled;
  return AttentionBackend::flash;
}

}  // namespace ts::spec
