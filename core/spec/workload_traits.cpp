#include "core/spec/workload_traits.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"

namespace ts::spec {

namespace {

using Products = std::vector<Product>;

Products no_products(const WorkloadSpec& /*spec*/) {
  return {};
}

std::int64_t no_parameters(const WorkloadSpec& /*spec*/) {
  return 0;
}

// The projections to queries, and to keys and values.
Products projections(const WorkloadSpec& spec, std::int64_t width) {
  return {{width, width}, {width, kv_head_count(spec) * head_size(spec), 2}};
}

// Q, K and V are inputs, or computed from one input.
Products attention_products(const WorkloadSpec& spec) {
  return spec.projections ? projections(spec, spec.heads * spec.d_head) : Products();
}

// SwiGLU has a second product of the same shape for its gate.
void add_feed_forward(const WorkloadSpec& spec, FeedForward form, Products& products) {
  products.push_back({spec.d_model, spec.d_ff, form == FeedForward::swiglu ? 2 : 1});
  products.push_back({spec.d_ff, spec.d_model});
}

Products mlp_products(const WorkloadSpec& spec) {
  Products products;
  add_feed_forward(spec, spec.mlp, products);
  return products;
}

std::int64_t mlp_biases(const WorkloadSpec& spec) {
  return spec.mlp == FeedForward::swiglu ? 0 : spec.d_ff + spec.d_model;
}

std::int64_t norm_parameters(const WorkloadSpec& spec) {
  return spec.norm == NormKind::layernorm && spec.bias ? 2 * spec.d_model : spec.d_model;
}

Products lm_products(const WorkloadSpec& spec) {
  Products products = block_products(spec);
  for (Product& product : products) {
    product.count *= spec.layers;
    product.stored *= spec.layers;
  }
  products.push_back({spec.d_model, spec.vocab});
  return products;
}

// The embedding, unless the head shares its tensor; learned positions; the blocks; the last norm.
std::int64_t lm_others(const WorkloadSpec& spec) {
  std::int64_t count = spec.tied ? 0 : spec.vocab * spec.d_model;
  if (spec.positions == Positions::learned) count += context_length(spec) * spec.d_model;
  return count + spec.layers * block_others(spec) + norm_parameters(spec);
}

// Three channels of a patch become a token, before the blocks and what follows them.
Products stem_products(const WorkloadSpec& spec) {
  return {{3 * spec.patch * spec.patch, spec.d_model}};
}

std::int64_t stem_others(const WorkloadSpec& spec) {
  std::int64_t count = 0;
  if (spec.stem_norm) {
    count += norm_parameters(spec);
  } else if (spec.bias) {
    count += spec.d_model;
  }
  if (spec.pool == Pool::class_token) count += spec.d_model;
  if (spec.positions == Positions::learned) count += spec.seq_len * spec.d_model;
  return count;
}

// Without the classes that vit ends with.
Products encoder_products(const WorkloadSpec& spec) {
  Products products = stem_products(spec);
  for (Product product : block_products(spec)) {
    product.count *= spec.layers;
    products.push_back(product);
  }
  if (spec.pool == Pool::resampler) products.push_back({spec.d_model, spec.d_model, 4});
  return products;
}

std::int64_t encoder_others(const WorkloadSpec& spec) {
  std::int64_t count = stem_others(spec) + spec.layers * block_others(spec) + norm_parameters(spec);
  if (spec.pool == Pool::resampler)
    count += (spec.image_tokens + (spec.bias ? 4 : 0)) * spec.d_model;
  return count;
}

Products vit_products(const WorkloadSpec& spec) {
  const WorkloadSpec encoder = encoder_of(spec);
  Products products = encoder_products(encoder);
  products.push_back({encoder.d_model, encoder.vocab});
  return products;
}

std::int64_t vit_others(const WorkloadSpec& spec) {
  return encoder_others(encoder_of(spec)) + (spec.bias ? spec.vocab : 0);
}

Products vlm_products(const WorkloadSpec& spec) {
  Products products = encoder_products(encoder_of(spec));
  for (const Product& product : projector_products(spec)) products.push_back(product);
  for (const Product& product : lm_products(language_of(spec))) products.push_back(product);
  return products;
}

// The layers of a projector have biases.
std::int64_t vlm_others(const WorkloadSpec& spec) {
  std::int64_t count = encoder_others(encoder_of(spec)) + lm_others(language_of(spec));
  for (const Product& product : projector_products(spec)) count += product.out;
  return count;
}

std::int64_t whole(const Products& products, std::int64_t others) {
  for (const Product& product : products) {
    others += product.matrices() * product.in * product.out;
  }
  return others;
}

// The parameters before the blocks and in the first of these.
std::int64_t frozen_layers_count(const WorkloadSpec& spec) {
  std::int64_t count = 0;
  if (traits_of(spec.workload).sees_images) {
    const WorkloadSpec encoder = encoder_of(spec);
    count = whole(stem_products(encoder), stem_others(encoder));
  } else {
    count = spec.vocab * spec.d_model;
    if (spec.positions == Positions::learned) count += context_length(spec) * spec.d_model;
  }
  return count + frozen_layers(spec) * whole(block_products(spec), block_others(spec));
}

Products weighted_sum_products(const WorkloadSpec& spec) {
  return {{spec.d_model, 1}};
}

Products toy_products(const WorkloadSpec& spec) {
  return {{spec.d_model, spec.d_ff}, {spec.d_ff, spec.vocab}};
}

std::int64_t toy_norm(const WorkloadSpec& spec) {
  return 2 * spec.d_ff;
}

std::int64_t norm_weight(const WorkloadSpec& spec) {
  return spec.d_model;
}

Products head_products(const WorkloadSpec& spec) {
  return {{spec.d_model, spec.vocab}};
}

std::int64_t parameters_of_file(const WorkloadSpec& spec) {
  const auto model = model_of(spec);
  return model ? model->parameter_count() : 0;
}

using K = WorkloadKind;

constexpr std::array<WorkloadTraits, kWorkloadCount> kWorkloadTraits = {{
    {.kind = K::attention,
     .attends = true,
     .attention_only = true,
     .products = attention_products,
     .other_parameters = no_parameters},
    {.kind = K::mlp,
     .feed_forward = true,
     .chooses_mlp = true,
     .products = mlp_products,
     .other_parameters = mlp_biases},
    {.kind = K::block,
     .attends = true,
     .feed_forward = true,
     .has_blocks = true,
     .own_kernels = true,
     .products = block_products,
     .other_parameters = block_others},
    {.kind = K::lm,
     .attends = true,
     .feed_forward = true,
     .has_blocks = true,
     .has_vocabulary = true,
     .language_model = true,
     .own_kernels = true,
     .products = lm_products,
     .other_parameters = lm_others},
    {.kind = K::weighted_sum,
     .own_kernels = true,
     .products = weighted_sum_products,
     .other_parameters = no_parameters},
    {.kind = K::toy,
     .feed_forward = true,
     .has_vocabulary = true,
     .own_kernels = true,
     .products = toy_products,
     .other_parameters = toy_norm},
    {.kind = K::accumulation,
     .trains = false,
     .has_input = false,
     .curves = {"additions", "sum", false},
     .products = no_products,
     .other_parameters = no_parameters},
    {.kind = K::layernorm,
     .trains = false,
     .curves = {"scale", "relative_error", true},
     .products = no_products,
     .other_parameters = no_parameters},
    {.kind = K::norm,
     .own_kernels = true,
     .normalises = true,
     .one_operator = true,
     .products = no_products,
     .other_parameters = norm_weight},
    {.kind = K::softmax,
     .own_kernels = true,
     .one_operator = true,
     .products = no_products,
     .other_parameters = no_parameters},
    {.kind = K::cross_entropy,
     .has_vocabulary = true,
     .own_kernels = true,
     .one_operator = true,
     .products = head_products,
     .other_parameters = no_parameters},
    {.kind = K::vit,
     .attends = true,
     .feed_forward = true,
     .has_blocks = true,
     .has_vocabulary = true,
     .own_kernels = true,
     .sees_images = true,
     .products = vit_products,
     .other_parameters = vit_others},
    {.kind = K::vlm,
     .attends = true,
     .feed_forward = true,
     .has_blocks = true,
     .has_vocabulary = true,
     .own_kernels = true,
     .sees_images = true,
     .joins_images = true,
     .products = vlm_products,
     .other_parameters = vlm_others},
    {.kind = K::own_model,
     .from_file = true,
     .products = no_products,
     .other_parameters = parameters_of_file},
}};

constexpr bool traits_in_order() {
  for (std::size_t i = 0; i < kWorkloadTraits.size(); ++i) {
    if (static_cast<std::size_t>(kWorkloadTraits[i].kind) != i) return false;
  }
  return true;
}
static_assert(traits_in_order(), "rows stand in the order of TENSORSCOPE_WORKLOADS");

// The settings that do not apply where there are images.
void leave_out_additions(WorkloadSpec& part) {
  part.window = part.packed = part.padding = 0;
  part.attn_dropout = part.dropout = 0;
  part.experts = 0;
}

}  // namespace

const WorkloadTraits& traits_of(WorkloadKind kind) {
  return kWorkloadTraits[static_cast<std::size_t>(kind)];
}

// Two norms; with bias, biases of all but SwiGLU.
std::int64_t block_others(const WorkloadSpec& spec) {
  std::int64_t count = 2 * norm_parameters(spec);
  if (!spec.bias) return count;
  count += 2 * (spec.d_model + kv_head_count(spec) * head_size(spec));
  if (spec.ffn == FeedForward::gelu) count += spec.d_ff + spec.d_model;
  return count;
}

std::vector<Product> block_products(const WorkloadSpec& spec) {
  Products products = projections(spec, spec.d_model);
  products.push_back({spec.d_model, spec.d_model});
  if (const Experts found = experts(spec); found.any()) {
    products.push_back({spec.d_model, found.count});
    products.push_back({spec.d_model, spec.d_ff, 2 * found.per_token, 2 * found.count});
    products.push_back({spec.d_ff, spec.d_model, found.per_token, found.count});
  } else {
    add_feed_forward(spec, spec.ffn, products);
  }
  return products;
}

std::vector<Product> adapted_products(const WorkloadSpec& spec) {
  const Lora low = lora(spec);
  if (low.rank == 0) return {};
  const std::int64_t width = spec.d_model, kv = kv_head_count(spec) * head_size(spec);
  if (low.on == LoraOn::qv) return {{width, width}, {width, kv}};
  Products products;
  if (spec.fused_qkv) {
    products.push_back({width, width + 2 * kv});
  } else {
    products = projections(spec, width);
  }
  products.push_back({width, width});
  if (low.on == LoraOn::all) add_feed_forward(spec, spec.ffn, products);
  return products;
}

std::vector<Product> adapter_products(const WorkloadSpec& spec) {
  if (!trains_adapters(spec)) return {};
  Products products;
  for (const Product& layer : adapted_products(spec)) {
    const std::int64_t count = layer.count * attention_count(spec);
    products.push_back({layer.in, spec.lora_rank, count});
    products.push_back({spec.lora_rank, layer.out, count});
  }
  return products;
}

std::vector<Product> projector_products(const WorkloadSpec& spec) {
  Products products = {{spec.encoder_width, spec.d_model}};
  if (spec.projector == Projector::mlp) products.push_back({spec.d_model, spec.d_model});
  return products;
}

std::int64_t frozen_count(const WorkloadSpec& spec) {
  if (frozen_layers(spec) > 0) return frozen_layers_count(spec);
  const FrozenParts parts = frozen_parts(spec);
  std::int64_t count = 0;
  if (parts.encoder) {
    const WorkloadSpec encoder = encoder_of(spec);
    count += whole(encoder_products(encoder), encoder_others(encoder));
  }
  if (parts.language) {
    const WorkloadSpec language = language_of(spec);
    count += whole(lm_products(language), lm_others(language));
  }
  return count;
}

std::int64_t attention_count(const WorkloadSpec& spec) {
  const WorkloadTraits& traits = traits_of(spec.workload);
  if (!traits.attends) return 0;
  const std::int64_t encoder = traits.joins_images ? spec.encoder_layers : 0;
  return traits.language_model || traits.sees_images ? spec.layers + encoder : 1;
}

std::int64_t patch_count(const WorkloadSpec& spec) {
  const std::int64_t side = spec.image / spec.patch;
  return side * side;
}

std::int64_t encoder_length(const WorkloadSpec& spec) {
  return patch_count(spec) + (spec.pool == Pool::class_token ? 1 : 0);
}

std::int64_t tokens_of_image(const WorkloadSpec& spec) {
  const bool joins = traits_of(spec.workload).joins_images;
  if (spec.pool == Pool::resampler) return spec.image_tokens;
  if (!joins) return 1;
  return spec.pool == Pool::mean ? spec.image_tokens : patch_count(spec);
}

WorkloadSpec encoder_of(const WorkloadSpec& spec) {
  WorkloadSpec encoder = spec;
  encoder.workload = WorkloadKind::vit;
  encoder.seq_len = encoder_length(spec);
  encoder.causal = false;
  leave_out_additions(encoder);
  if (!traits_of(spec.workload).joins_images) return encoder;
  encoder.batch = spec.batch * spec.images;
  encoder.d_model = spec.encoder_width;
  encoder.heads = spec.encoder_heads;
  encoder.layers = spec.encoder_layers;
  encoder.d_ff = spec.encoder_ff;
  encoder.kv_heads = 0;
  encoder.norm = NormKind::layernorm;
  encoder.ffn = FeedForward::gelu;
  encoder.positions = Positions::learned;
  encoder.bias = true;
  encoder.fused_qkv = false;
  encoder.frozen_layers = 0;
  encoder.lora_rank = 0;
  return encoder;
}

WorkloadSpec language_of(const WorkloadSpec& spec) {
  WorkloadSpec language = spec;
  language.workload = WorkloadKind::lm;
  language.seq_len = spec.images * tokens_of_image(spec) + spec.seq_len;
  leave_out_additions(language);
  language.frozen_layers = 0;
  language.lora_rank = 0;
  language.corpus.clear();
  return language;
}

FrozenParts frozen_parts(const WorkloadSpec& spec) {
  if (!field_applies(spec, Field::frozen)) return {};
  const bool both = spec.frozen == Frozen::both;
  return {both || spec.frozen == Frozen::encoder, both || spec.frozen == Frozen::language};
}

std::int64_t frozen_layers(const WorkloadSpec& spec) {
  if (spec.frozen_layers == 0 || !field_applies(spec, Field::frozen_layers)) return 0;
  return std::min(spec.frozen_layers, spec.layers);
}

std::int64_t Experts::room(std::int64_t tokens) const {
  if (capacity <= 0) return tokens;
  const double even =
      static_cast<double>(tokens) * static_cast<double>(per_token) / static_cast<double>(count);
  // A product that is whole but for rounding is not rounded up.
  const double most = std::ceil(capacity * even * (1 - 1e-12));
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(most), 1, tokens);
}

Experts experts(const WorkloadSpec& spec) {
  Experts experts;
  if (!field_applies(spec, Field::experts) || spec.experts == 0) return experts;
  experts.count = spec.experts;
  experts.per_token = spec.experts_per_token;
  experts.capacity = spec.capacity;
  return experts;
}

std::int64_t active_count(const WorkloadSpec& spec) {
  const Experts found = experts(spec);
  if (!found.any()) return parameter_count(spec);
  const std::int64_t of_one = 3 * spec.d_model * spec.d_ff * attention_count(spec);
  return parameter_count(spec) - (found.count - found.per_token) * of_one;
}

}  // namespace ts::spec
