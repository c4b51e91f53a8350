#include "core/spec/workload_traffic.h"

#include <algorithm>
#include <array>

#include "core/spec/backend_traits.h"
#include "core/spec/masking.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"

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

// The record of a dropped number: one byte on a GPU, a factor on the CPU.
double dropped_number(const WorkloadSpec& spec) {
  if (spec.device == DeviceKind::cpu) return 1;
  return 1 / static_cast<double>(bytes_of(compute_type(spec)));
}

// Numbers of queries and outputs of a token, and of its keys and values.
struct Widths {
  double output = 0;
  double keys = 0;
};
Widths widths(const WorkloadSpec& spec) {
  const auto both = static_cast<double>(head_size(spec) + value_size(spec));
  return {static_cast<double>(spec.heads) * both, static_cast<double>(kv_head_count(spec)) * both};
}
// Those of a new token that finds earlier ones in a cache.
Widths decoded_widths(const WorkloadSpec& spec) {
  const Latent low = latent(spec);
  if (!low.any()) return widths(spec);
  const auto both = static_cast<double>(2 * low.kv_rank + low.rope);
  return {static_cast<double>(spec.heads) * both, both};
}

// Attention of `sequences` sequences of `queries` tokens over `keys` keys.
Moved attention(const WorkloadSpec& spec, AttentionBackend backend, const Widths& of_token,
                double sequences, double queries, double keys) {
  const auto heads = static_cast<double>(spec.heads);
  const double q = sequences * queries * of_token.output;
  const double kv = sequences * keys * of_token.keys;
  Moved moved;
  moved.forward = q + kv;           // Q, K, V read, O written
  moved.backward = 2 * q + 2 * kv;  // Q, K, V, O, dO; dQ, dK, dV
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
  if (softcaps(spec).scores > 0) {
    // Forward: a quotient, tanh and a product. Backward: those of the product and the quotient, and
    // tanh's, which reads its own result, too.
    constexpr double kCapForward = 6;
    constexpr double kCapBackward = 7;
    moved.forward += kCapForward * square;
    moved.backward += kCapBackward * square;
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
  const std::vector<Product> blocks = block_products(spec, 0, spec.layers);
  const auto windowed = static_cast<double>(windowed_blocks(spec, 0, spec.layers));
  const WorkloadSpec unlimited = without_window(spec);
  const auto window = static_cast<double>(masking(spec).window);
  const auto step = [&](const Widths& of_token, double queries, double keys) {
    const double near = queries == 1 && window > 0 ? std::min(window, keys) : keys;
    const double all = attention(unlimited, backend, of_token, batch, queries, keys).forward;
    // A new token finds what its window holds and needs no mask.
    const WorkloadSpec& masked = queries == 1 ? unlimited : spec;
    const double limited = attention(masked, backend, of_token, batch, queries, near).forward;
    return moved_by(blocks, batch * queries) + (layers - windowed) * all + windowed * limited +
           moved_by(adapter_products(spec), batch * queries) + head;
  };
  const auto prompt = static_cast<double>(spec.seq_len);
  const Widths whole = widths(spec), decoded = decoded_widths(spec);
  double sum = step(whole, prompt, prompt);
  for (std::int64_t i = 1; i < spec.new_tokens; ++i) {
    const double keys = prompt + static_cast<double>(i);
    sum += spec.kv_cache ? step(decoded, 1, keys) : step(whole, keys, keys);
  }
  return sum;
}

// Bytes of one update for each parameter: the gradient is read; moments, master weight and
// parameter are read and written, but a parameter with a master weight is only written.
double optimizer_bytes(const WorkloadSpec& spec) {
  const auto element = static_cast<double>(trains_adapters(spec) ? 4 : bytes_of(spec.dtype));
  const bool master = optimizer_state(spec) == OptimizerState::fp32_master;
  const double parameter = master ? element + 2 * 4 : 2 * element;
  return element + parameter + 2 * static_cast<double>(moment_bytes(spec));
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

// Products of a part of the model. `bytes` count numbers.
void add_products(const WorkloadSpec& spec, const ModelPart& part, std::vector<StepPart>& parts) {
  double times = has_backward(spec.pass) ? 1 + part.backward : 1;
  // Blocks that are not trained are not run again.
  const bool again = has_backward(spec.pass) && part.in_blocks && part.backward > 0 &&
                     checkpointing(spec) == Checkpoint::blocks;
  if (again) times += 1;
  for (const Product& product : part.products) {
    parts.push_back({StepPart::Kind::products, times * flops_of(product, part.rows),
                     times * moved_by(product, part.rows)});
  }
}

void add_attention(const WorkloadSpec& spec, AttentionBackend backend, const ModelPart& part,
                   std::vector<StepPart>& parts) {
  if (part.calls == 0) return;
  const auto count = static_cast<double>(part.calls);
  const bool trains = has_backward(spec.pass) && part.backward > 0;
  const bool again = trains && checkpointing(spec) != Checkpoint::off;
  const Moved moved = attention(part.attends, backend, widths(part.attends), part.sequences,
                                part.queries, part.keys);
  const double forward = attention_flops(part, backend);
  const double scores = traits_of(backend).recomputes_scores ? 2.5 : 2.0;
  const auto add = [&](double all_flops, double all, double softmax) {
    parts.push_back({StepPart::Kind::attention, all_flops, count * (all - softmax)});
    if (softmax > 0) parts.push_back({StepPart::Kind::softmax, 0, count * softmax});
  };
  const double often = again ? 2 : 1;
  add(often * forward, often * moved.forward, often * moved.softmax_forward);
  if (trains) add(scores * forward, moved.backward, moved.softmax_backward);
}

}  // namespace

const char* to_string(StepPart::Kind kind) {
  constexpr std::array kNames = {"products",  "attention", "softmax",
                                 "optimizer", "prefill",   "decode"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::vector<StepPart> step_parts(const WorkloadSpec& spec, AttentionBackend backend_ran) {
  if (spec.pass == Pass::generate) return parts_of_generation(spec, backend_ran);
  std::vector<StepPart> parts;
  for (const ModelPart& part : model_parts(spec)) {
    add_products(spec, part, parts);
    add_attention(spec, backend_ran, part, parts);
  }
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

namespace {

double rows_of(std::int64_t sequences, std::int64_t length) {
  return static_cast<double>(sequences) * static_cast<double>(length);
}

void let_attend(ModelPart& part, const WorkloadSpec& spec, std::int64_t calls, std::int64_t queries,
                std::int64_t keys) {
  part.attends = spec;
  part.calls = calls;
  part.sequences = static_cast<double>(spec.batch);
  part.queries = static_cast<double>(queries);
  part.keys = static_cast<double>(keys);
}

// Some of the blocks of a model, with the adapters that are trained beside them.
void add_blocks(const WorkloadSpec& spec, std::int64_t first, std::int64_t count, double backward,
                std::vector<ModelPart>& parts) {
  ModelPart blocks;
  blocks.products = block_products(spec, first, count);
  blocks.rows = rows_of(spec.batch, spec.seq_len);
  blocks.backward = backward;
  blocks.in_blocks = true;
  const std::int64_t windowed = windowed_blocks(spec, first, first + count);
  const bool some = windowed > 0 && windowed < count;
  let_attend(blocks, spec, some ? windowed : count, spec.seq_len, spec.seq_len);
  if (windowed == 0) blocks.attends = without_window(spec);
  parts.push_back(blocks);
  if (some) {
    ModelPart unlimited = blocks;
    unlimited.products.clear();
    let_attend(unlimited, without_window(spec), count - windowed, spec.seq_len, spec.seq_len);
    parts.push_back(unlimited);
  }
  if (!trains_adapters(spec)) return;
  parts.push_back({.products = adapter_products(spec), .rows = blocks.rows, .in_blocks = true});
}

// Backward of blocks and head: `frozen` weights pass gradients on.
void add_language(const WorkloadSpec& spec, std::int64_t predicted, bool frozen,
                  std::vector<ModelPart>& parts) {
  const double backward = frozen || trains_adapters(spec) ? 1 : 2;
  const std::int64_t still = frozen_layers(spec);
  if (still > 0) add_blocks(spec, 0, still, 0, parts);
  if (still < spec.layers) add_blocks(spec, still, spec.layers - still, backward, parts);
  parts.push_back({.products = {{spec.d_model, spec.vocab}},
                   .rows = rows_of(spec.batch, predicted),
                   .backward = backward});
}

// Queries that are learned attend to the patches: [image_tokens] of every image.
void add_resampler(const WorkloadSpec& encoder, double backward, std::vector<ModelPart>& parts) {
  const std::int64_t width = encoder.d_model;
  const ModelPart queries{.products = {{width, width}},
                          .rows = static_cast<double>(encoder.image_tokens),
                          .backward = backward};
  ModelPart keys{.products = {{width, width, 2}},
                 .rows = rows_of(encoder.batch, encoder.seq_len),
                 .backward = backward};
  WorkloadSpec heads = encoder;
  heads.kv_heads = 0;
  let_attend(keys, heads, 1, encoder.image_tokens, encoder.seq_len);
  const ModelPart output{.products = {{width, width}},
                         .rows = rows_of(encoder.batch, encoder.image_tokens),
                         .backward = backward};
  parts.insert(parts.end(), {queries, keys, output});
}

// An encoder without classes. Images need no gradient.
void add_encoder(const WorkloadSpec& encoder, bool frozen, std::vector<ModelPart>& parts) {
  const bool adapts = trains_adapters(encoder);
  const std::int64_t still = frozen ? encoder.layers : frozen_layers(encoder);
  parts.push_back({.products = {{3 * encoder.patch * encoder.patch, encoder.d_model}},
                   .rows = rows_of(encoder.batch, patch_count(encoder)),
                   .backward = frozen || still > 0 || adapts ? 0.0 : 1.0});
  const double backward = adapts ? 1 : 2;
  if (still > 0) add_blocks(encoder, 0, still, 0, parts);
  if (still < encoder.layers) add_blocks(encoder, still, encoder.layers - still, backward, parts);
  if (encoder.pool == Pool::resampler) add_resampler(encoder, frozen ? 0 : backward, parts);
}

std::vector<ModelPart> parts_of_vit(const WorkloadSpec& spec) {
  std::vector<ModelPart> parts;
  add_encoder(encoder_of(spec), false, parts);
  parts.push_back({.products = {{spec.d_model, spec.vocab}},
                   .rows = static_cast<double>(spec.batch),
                   .backward = trains_adapters(spec) ? 1.0 : 2.0});
  return parts;
}

std::vector<ModelPart> parts_of_vlm(const WorkloadSpec& spec) {
  std::vector<ModelPart> parts;
  const FrozenParts frozen = frozen_parts(spec);
  add_encoder(encoder_of(spec), frozen.encoder, parts);
  const double rows = rows_of(spec.batch * spec.images, tokens_of_image(spec));
  double backward = frozen.encoder ? 1 : 2;
  for (const Product& product : projector_products(spec)) {
    parts.push_back(
        {.products = {product}, .rows = rows, .backward = frozen.projector ? 0 : backward});
    backward = 2;
  }
  add_language(language_of(spec), spec.seq_len, frozen.language, parts);
  return parts;
}

}  // namespace

std::vector<ModelPart> model_parts(const WorkloadSpec& spec) {
  const WorkloadTraits& traits = traits_of(spec.workload);
  if (traits.joins_images) return parts_of_vlm(spec);
  if (traits.sees_images) return parts_of_vit(spec);
  std::vector<ModelPart> parts;
  if (traits.language_model) {
    add_language(spec, spec.seq_len, false, parts);
    return parts;
  }
  if (traits.has_blocks) {
    add_blocks(spec, 0, 1, trains_adapters(spec) ? 1 : 2, parts);
    return parts;
  }
  ModelPart whole;
  whole.products = traits.products(spec);
  whole.rows = rows_of(spec.batch, spec.seq_len);
  const std::int64_t calls = attention_count(spec);
  if (calls > 0) let_attend(whole, spec, calls, spec.seq_len, kv_length(spec));
  parts.push_back(whole);
  return parts;
}

double attention_flops(const ModelPart& part, AttentionBackend backend) {
  if (part.calls == 0) return 0;
  const WorkloadSpec& spec = part.attends;
  return static_cast<double>(part.calls) * part.sequences * part.queries * part.keys *
         pair_flops(spec) * computed_share(spec, backend, spec.seq_len);
}

}  // namespace ts::spec
