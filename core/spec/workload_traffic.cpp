#include "core/spec/workload_traffic.h"

#include "core/spec/backend_traits.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"

namespace ts::spec {
std::int64_t bytes_of(DataType type) {
  return type == DataType::bf16 || type == DataType::fp16 ? 2 : 4;
}

namespace {

// Numbers moved in one forward: by matrix products (a backward moves twice as many), and by
// attention.
struct Moved {
  double products = 0;
  double attention_forward = 0;
  double attention_backward = 0;
};

// Each product reads rows x in and in x out, and writes rows x out.
double moved_by(const std::vector<Product>& products, double rows) {
  double sum = 0;
  for (const Product& product : products) {
    const auto in = static_cast<double>(product.in);
    const auto out = static_cast<double>(product.out);
    sum += static_cast<double>(product.count) * (rows * in + in * out + rows * out);
  }
  return sum;
}

// Attention of `sequences` sequences of `queries` tokens over `keys` keys.
Moved attention(const WorkloadSpec& spec, AttentionBackend backend, double sequences,
                double queries, double keys) {
  const auto heads = static_cast<double>(spec.heads);
  const auto width = static_cast<double>(head_size(spec));
  const double q = sequences * queries * heads * width;
  const double kv = sequences * keys * static_cast<double>(kv_head_count(spec)) * width;
  Moved moved;
  moved.attention_forward = 2 * q + 2 * kv;   // Q, K, V read, O written
  moved.attention_backward = 4 * q + 4 * kv;  // Q, K, V, O, dO; dQ, dK, dV
  if (!traits_of(backend).stores_scores) return moved;
  const double square = sequences * heads * queries * keys;
  constexpr double kForwardPasses = 4;
  constexpr double kBackwardPasses = 7;
  moved.attention_forward += kForwardPasses * square;
  moved.attention_backward += kBackwardPasses * square;
  return moved;
}

// The forward of one micro-batch.
Moved forward_of(const WorkloadSpec& spec, AttentionBackend backend) {
  const auto batch = static_cast<double>(spec.batch);
  const auto length = static_cast<double>(spec.seq_len);
  Moved moved;
  if (const auto count = static_cast<double>(attention_count(spec)); count > 0) {
    moved = attention(spec, backend, batch, length, static_cast<double>(kv_length(spec)));
    moved.attention_forward *= count;
    moved.attention_backward *= count;
  }
  moved.products = moved_by(traits_of(spec.workload).products(spec), batch * length);
  return moved;
}

// The prompt, then every new token by itself, or with all tokens before it without a cache.
double generation(const WorkloadSpec& spec, AttentionBackend backend) {
  const auto batch = static_cast<double>(spec.batch);
  const auto layers = static_cast<double>(spec.layers);
  const double head = moved_by({{spec.d_model, spec.vocab}}, batch);
  const std::vector<Product> block = block_products(spec);
  const auto step = [&](double queries, double keys) {
    return layers * (moved_by(block, batch * queries) +
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

// Bytes of one update for each parameter: the gradient is read; moments, master weight and
// parameter are read and written, but a parameter with a master weight is only written.
double optimizer_bytes(const WorkloadSpec& spec) {
  const auto element = static_cast<double>(bytes_of(spec.dtype));
  const OptimizerState state = optimizer_state(spec);
  const double wide = state == OptimizerState::parameter ? element : 4;
  double moments = 2;
  if (spec.optimizer == OptimizerKind::sgd) moments = spec.momentum > 0 ? 1 : 0;
  const bool master = state == OptimizerState::fp32_master;
  const double parameter = master ? element + 2 * wide : 2 * element;
  return element + parameter + 2 * moments * wide;
}

}  // namespace

double step_traffic(const WorkloadSpec& spec, AttentionBackend backend_ran) {
  const auto element = static_cast<double>(bytes_of(compute_type(spec)));
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
    sum += optimizer_bytes(spec) * static_cast<double>(parameter_count(spec));
  }
  return sum;
}

}  // namespace ts::spec
