#include "core/spec/workload_traffic.h"

#include <algorithm>
#include <array>

#include "core/spec/backend_traits.h"
#include "core/spec/masking.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"

namespace ts::spec {
std::int64_t bytes_of(DataType type) {
  return type == DataType::bf16 || type == DataType::fp16 ? 2 : 4;
}

namespace {

// Numbers that a matrix product moves: it reads rows x in and in x out, and writes rows x out.
double moved_by(const Product& product, double rows) {
  const auto in = static_cast<double>(product.in);
  const auto out = static_cast<double>(product.out);
  return static_cast<double>(product.count) * (rows * in + rows * out) +
         static_cast<double>(product.matrices()) * in * out;
}

double moved_by(const std::vector<Product>& products, double rows) {
  double sum = 0;
  for (const Product& product : products) sum += moved_by(product, rows);
  return sum;
}

double flops_of(const Product& product, double rows) {
  return 2 * rows * static_cast<double>(product.count) * static_cast<double>(product.in) *
         static_cast<double>(product.out);
}

double flops_of(const std::vector<Product>& products, double rows) {
  double sum = 0;
  for (const Product& product : products) sum += flops_of(product, rows);
  return sum;
}

// Numbers that attention moves, and the part of them that its softmax does.
struct Moved {
  double forward = 0;
  double backward = 0;
  double softmax_forward = 0;
  double softmax_backward = 0;
};

// Numbers of the mask that a fused kernel is given.
double numbers_of_mask(const WorkloadSpec& spec, AttentionBackend backend) {
  const Masking masks = masking(spec);
  const bool made_in_tiles = traits_of(backend).masked == MaskedPairs::skipped_tiles;
  if (!masks.any() || made_in_tiles) return 0;
  const auto pairs = static_cast<double>(spec.seq_len) * static_cast<double>(kv_length(spec));
  return masks.padding > 0 ? static_cast<double>(spec.batch) * pairs : pairs;
}

// What tells whether a number was dropped: one byte on a GPU, a factor on the CPU.
double dropped_number(const WorkloadSpec& spec) {
  if (spec.device == DeviceKind::cpu) return 1;
  return 1 / static_cast<double>(bytes_of(compute_type(spec)));
}

// Attention of `sequences` sequences of `queries` tokens over `keys` keys.
Moved attention(const WorkloadSpec& spec, AttentionBackend backend, double sequences,
                double queries, double keys) {
  const auto heads = static_cast<double>(spec.heads);
  const auto width = static_cast<double>(head_size(spec));
  const double q = sequences * queries * heads * width;
  const double kv = sequences * keys * static_cast<double>(kv_head_count(spec)) * width;
  Moved moved;
  moved.forward = 2 * q + 2 * kv;   // Q, K, V read, O written
  moved.backward = 4 * q + 4 * kv;  // Q, K, V, O, dO; dQ, dK, dV
  const double square = sequences * heads * queries * keys;
  if (!traits_of(backend).stores_scores) {
    const double mask = numbers_of_mask(spec, backend);
    moved.forward += mask;
    moved.backward += mask;
    return moved;
  }
  constexpr double kForwardPasses = 4;
  constexpr double kBackwardPasses = 7;
  moved.forward += kForwardPasses * square;
  moved.backward += kBackwardPasses * square;
  moved.softmax_forward = 2 * square;
  moved.softmax_backward = 3 * square;
  if (writing(spec).softmax == Form::written) {
    // Forward: max reads; x - max, exp and the quotient read and write; the sum reads. Backward:
    // autograd's formulas of these, of which the quotient's moves 12.
    constexpr double kWrittenForward = 8;
    constexpr double kWrittenBackward = 24;
    moved.forward += kWrittenForward * square - moved.softmax_forward;
    moved.backward += kWrittenBackward * square - moved.softmax_backward;
    moved.softmax_forward = kWrittenForward * square;
    moved.softmax_backward = kWrittenBackward * square;
  }
  if (dropping(spec).attention > 0) {
    // The forward writes what is left beside the probabilities, and what was dropped; the backward
    // reads the latter.
    const double mask = square * dropped_number(spec);
    moved.forward += square + mask;
    moved.backward += mask;
  }
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
                     attention(spec, backend, batch, queries, keys).forward) +
           moved_by(adapter_products(spec), batch * queries) + head;
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
  const auto element = static_cast<double>(trains_adapters(spec) ? 4 : bytes_of(spec.dtype));
  const OptimizerState state = optimizer_state(spec);
  const double wide = state == OptimizerState::parameter ? element : 4;
  double moments = 2;
  if (spec.optimizer == OptimizerKind::sgd) moments = spec.momentum > 0 ? 1 : 0;
  const bool master = state == OptimizerState::fp32_master;
  const double parameter = master ? element + 2 * wide : 2 * element;
  return element + parameter + 2 * moments * wide;
}

// The prompt by itself, then the tokens after the first.
std::vector<StepPart> parts_of_generation(const WorkloadSpec& spec, AttentionBackend backend) {
  const auto element = static_cast<double>(bytes_of(compute_type(spec)));
  WorkloadSpec prompt = spec;
  prompt.new_tokens = 1;
  const double flops = step_flops(prompt, backend).total();
  const double bytes = element * generation(prompt, backend);
  return {{StepPart::Kind::prefill, flops, bytes},
          {StepPart::Kind::decode, step_flops(spec, backend).total() - flops,
           element * generation(spec, backend) - bytes}};
}

// Parts of all micro-batches. `bytes` of `parts` count numbers.
void add_products(const WorkloadSpec& spec, double rows, std::vector<StepPart>& parts) {
  const double trained = has_backward(spec.pass) ? 3 : 1;
  // A frozen weight has no gradient: there is no product for it.
  const double times = has_backward(spec.pass) && trains_adapters(spec) ? 2 : trained;
  const auto add = [&](const std::vector<Product>& products, double often) {
    for (const Product& product : products) {
      parts.push_back({StepPart::Kind::products, often * flops_of(product, rows),
                       often * moved_by(product, rows)});
    }
  };
  add(traits_of(spec.workload).products(spec), times);
  add(adapter_products(spec), trained);
  if (has_backward(spec.pass) && checkpointing(spec) == Checkpoint::blocks) {
    add(block_products(spec), static_cast<double>(attention_count(spec)));
    add(adapter_products(spec), 1);
  }
}

void add_attention(const WorkloadSpec& spec, AttentionBackend backend, double rows,
                   std::vector<StepPart>& parts) {
  const auto count = static_cast<double>(attention_count(spec));
  if (count == 0) return;
  const auto micro = static_cast<double>(micro_batches(spec));
  const bool trains = has_backward(spec.pass);
  const bool again = trains && checkpointing(spec) != Checkpoint::off;
  const Moved moved =
      attention(spec, backend, static_cast<double>(spec.batch), static_cast<double>(spec.seq_len),
                static_cast<double>(kv_length(spec)));
  const Flops flops = step_flops(spec, backend);
  const double products = flops_of(traits_of(spec.workload).products(spec), rows * micro);
  const double added = flops_of(adapter_products(spec), rows * micro);
  const double back = (trains_adapters(spec) ? 1 : 2) * products + 2 * added;
  // Rounding may leave less than nothing.
  const double forward = std::max(0.0, flops.forward - products - added) / micro;
  const double backward = std::max(0.0, flops.backward - back) / micro;
  const auto add = [&](double all_flops, double all, double softmax) {
    parts.push_back({StepPart::Kind::attention, all_flops, count * (all - softmax)});
    if (softmax > 0) parts.push_back({StepPart::Kind::softmax, 0, count * softmax});
  };
  const double often = again ? 2 : 1;
  add(often * forward, often * moved.forward, often * moved.softmax_forward);
  if (trains) add(backward, moved.backward, moved.softmax_backward);
}

}  // namespace

const char* to_string(StepPart::Kind kind) {
  constexpr std::array kNames = {"products",  "attention", "softmax",
                                 "optimizer", "prefill",   "decode"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<StepPart> step_parts(const WorkloadSpec& spec, AttentionBackend backend_ran) {
  if (spec.pass == Pass::generate) return parts_of_generation(spec, backend_ran);
  const auto rows = static_cast<double>(spec.batch) * static_cast<double>(spec.seq_len);
  std::vector<StepPart> parts;
  add_products(spec, rows, parts);
  add_attention(spec, backend_ran, rows, parts);
  const auto micro = static_cast<double>(micro_batches(spec));
  const auto element = static_cast<double>(bytes_of(compute_type(spec)));
  for (StepPart& part : parts) {
    part.flops *= micro;
    part.bytes *= micro * element;
  }
  if (spec.pass == Pass::full_step) {
    parts.push_back({StepPart::Kind::optimizer, 0,
                     optimizer_bytes(spec) * static_cast<double>(trained_count(spec))});
  }
  return parts;
}

double step_traffic(const WorkloadSpec& spec, AttentionBackend backend_ran) {
  double sum = 0;
  for (const StepPart& part : step_parts(spec, backend_ran)) sum += part.bytes;
  return sum;
}

}  // namespace ts::spec
