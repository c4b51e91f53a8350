#include "core/spec/workload_traffic.h"

#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"

namespace ts::spec {
namespace {

double bytes_of(DataType type) {
  return type == DataType::bf16 || type == DataType::fp16 ? 2 : 4;
}

// Numbers moved in one forward: of what a backward moves twice (matrix products) and of attention.
struct Moved {
  double products = 0;
  double attention_forward = 0;
  double attention_backward = 0;
};

// rows x in times in x out.
double product(double rows, double in, double out) {
  return rows * in + in * out + rows * out;
}

bool stores_scores(AttentionBackend backend) {
  return backend == AttentionBackend::naive || backend == AttentionBackend::math ||
         backend == AttentionBackend::automatic;
}

// Of `sequences` sequences of `queries` tokens that look at `keys`.
Moved attention(const WorkloadSpec& spec, AttentionBackend backend, double sequences,
                double queries, double keys) {
  const auto heads = static_cast<double>(spec.heads);
  const auto width = static_cast<double>(head_size(spec));
  const double q = sequences * queries * heads * width;
  const double kv = sequences * keys * static_cast<double>(kv_head_count(spec)) * width;
  Moved moved;
  moved.attention_forward = 2 * q + 2 * kv;   // Q, K, V read, O written
  moved.attention_backward = 4 * q + 4 * kv;  // Q, K, V, O, dO; dQ, dK, dV
  if (!stores_scores(backend)) return moved;
  const double square = sequences * heads * queries * keys;
  constexpr double kForwardPasses = 4;
  constexpr double kBackwardPasses = 7;
  moved.attention_forward += kForwardPasses * square;
  moved.attention_backward += kBackwardPasses * square;
  return moved;
}

// Of `rows` tokens of width d to queries, keys and values.
double projected(const WorkloadSpec& spec, double rows, double d) {
  const auto kv = static_cast<double>(kv_head_count(spec) * head_size(spec));
  return product(rows, d, d) + 2 * product(rows, d, kv);
}

double block_products(const WorkloadSpec& spec, double rows) {
  const auto d = static_cast<double>(spec.d_model);
  const auto ff = static_cast<double>(spec.d_ff);
  const double up = spec.ffn == FeedForward::swiglu ? 2 : 1;
  return projected(spec, rows, d) + product(rows, d, d) + up * product(rows, d, ff) +
         product(rows, ff, d);
}

// Of one micro-batch, forward.
Moved forward_of(const WorkloadSpec& spec, AttentionBackend backend) {
  const auto batch = static_cast<double>(spec.batch);
  const auto length = static_cast<double>(spec.seq_len);
  const auto layers = static_cast<double>(spec.layers);
  const auto d = static_cast<double>(spec.d_model);
  const auto ff = static_cast<double>(spec.d_ff);
  const auto vocab = static_cast<double>(spec.vocab);
  const double rows = batch * length;
  const auto attends = [&] {
    return attention(spec, backend, batch, length, static_cast<double>(kv_length(spec)));
  };
  Moved moved;
  switch (spec.workload) {
    case WorkloadKind::attention:
      moved = attends();
      if (spec.projections) {
        moved.products = projected(spec, rows, static_cast<double>(spec.heads * spec.d_head));
      }
      return moved;
    case WorkloadKind::mlp:
      moved.products =
          (spec.mlp == FeedForward::swiglu ? 2 : 1) * product(rows, d, ff) + product(rows, ff, d);
      return moved;
    case WorkloadKind::weighted_sum:
      moved.products = product(rows, d, 1);
      return moved;
    case WorkloadKind::toy:
      moved.products = product(rows, d, ff) + product(rows, ff, vocab);
      return moved;
    case WorkloadKind::accumulation:  // about their numbers: no products
    case WorkloadKind::layernorm:
      return moved;
    case WorkloadKind::block:
      moved = attends();
      moved.products = block_products(spec, rows);
      return moved;
    case WorkloadKind::lm:
      moved = attends();
      moved.attention_forward *= layers;
      moved.attention_backward *= layers;
      moved.products = layers * block_products(spec, rows) + product(rows, d, vocab);
      return moved;
  }
  return moved;
}

// The prompt, then every new token by itself, or with everything before it where nothing is kept.
double generation(const WorkloadSpec& spec, AttentionBackend backend) {
  const auto batch = static_cast<double>(spec.batch);
  const auto layers = static_cast<double>(spec.layers);
  const auto d = static_cast<double>(spec.d_model);
  const double head = product(batch, d, static_cast<double>(spec.vocab));
  const auto step = [&](double queries, double keys) {
    return layers * (block_products(spec, batch * queries) +
                     attention(spec, backend, batch, queries, keys).attention_forward) +
           head;
  };
  const auto prompt = static_cast<double>(spec.seq_len);
  double sum = step(prompt, prompt);
  for (std::int64_t i = 1; i < spec.new_tokens; ++i) {
    const double keys = prompt + static_cast<double>(i);
    sum += step(spec.kv_cache ? 1 : keys, keys);
  }
  return sum;
}

// Passes over the parameters, in the type they are stored in.
double optimizer_passes(const WorkloadSpec& spec) {
  constexpr double kAdamW =
      7;  // parameter, gradient, two moments read; all but the gradient written
  constexpr double kSgd = 3;
  if (spec.optimizer != OptimizerKind::sgd) return kAdamW;
  return spec.momentum > 0 ? kSgd + 2 : kSgd;
}

}  // namespace

double step_traffic(const WorkloadSpec& spec, AttentionBackend backend_ran) {
  const double element = bytes_of(compute_type(spec));
  if (spec.pass == Pass::generate) return element * generation(spec, backend_ran);
  const Moved moved = forward_of(spec, backend_ran);
  double sum = moved.products + moved.attention_forward;
  if (has_backward(spec.pass)) {
    // Each product has two in the backward, with the same three matrices.
    sum += 2 * moved.products + moved.attention_backward;
    if (checkpointing(spec) != Checkpoint::off) sum += moved.attention_forward;
    if (checkpointing(spec) == Checkpoint::blocks) sum += moved.products;
  }
  sum *= element * static_cast<double>(micro_batches(spec));
  if (spec.pass == Pass::full_step) {
    sum +=
        optimizer_passes(spec) * bytes_of(spec.dtype) * static_cast<double>(parameter_count(spec));
  }
  return sum;
}

}  // namespace ts::spec
