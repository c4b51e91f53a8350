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
  const std::int64_t d_head = head_size(spec);
  return {{width, spec.heads * d_head}, {width, kv_head_count(spec) * d_head, 2}};
}

// The same of latent attention.
Products latent_projections(const WorkloadSpec& spec) {
  const Latent low = latent(spec);
  const std::int64_t queries = spec.heads * (low.nope + low.rope);
  Products products;
  if (low.q_rank > 0) products.push_back({spec.d_model, low.q_rank});
  products.push_back({low.q_rank > 0 ? low.q_rank : spec.d_model, queries});
  products.push_back({spec.d_model, low.kv_rank + low.rope});
  products.push_back({low.kv_rank, spec.heads * (low.nope + low.value)});
  return products;
}

// Q, K and V are inputs, or computed from one input.
Products attention_products(const WorkloadSpec& spec) {
  return spec.projections ? projections(spec, spec.heads * spec.d_head) : Products();
}

// SwiGLU and GeGLU have a second product of the same shape for their gate.
void add_feed_forward(const WorkloadSpec& spec, FeedForward form, Products& products) {
  products.push_back({spec.d_model, spec.d_ff, form == FeedForward::gelu ? 1 : 2});
  products.push_back({spec.d_ff, spec.d_model});
}

Products mlp_products(const WorkloadSpec& spec) {
  Products products;
  add_feed_forward(spec, spec.mlp, products);
  return products;
}

std::int64_t mlp_biases(const WorkloadSpec& spec) {
  return spec.mlp == FeedForward::gelu ? spec.d_ff + spec.d_model : 0;
}

std::int64_t norm_parameters(const WorkloadSpec& spec) {
  return spec.norm == NormKind::layernorm && spec.bias ? 2 * spec.d_model : spec.d_model;
}

Products lm_products(const WorkloadSpec& spec) {
  Products products = block_products(spec, 0, spec.layers);
  products.push_back({spec.d_model, spec.vocab});
  return products;
}

// The embedding, unless the head shares its tensor; learned positions; the blocks; the last norm.
std::int64_t lm_others(const WorkloadSpec& spec) {
  std::int64_t count = spec.tied ? 0 : spec.vocab * spec.d_model;
  if (spec.positions == Positions::learned) count += position_rows(spec) * spec.d_model;
  if (has_head_bias(spec)) count += spec.vocab;
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
  for (const Product& product : block_products(spec, 0, spec.layers)) products.push_back(product);
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
    if (spec.positions == Positions::learned) count += position_rows(spec) * spec.d_model;
  }
  const std::int64_t blocks = frozen_layers(spec);
  return count + whole(block_products(spec, 0, blocks), blocks * block_others(spec));
}

Products one_block(const WorkloadSpec& spec) {
  return block_products(spec, 0, 1);
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
     .products = one_block,
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
  part.head_width = part.kv_rank = 0;
  part.qkv_bias = part.qk_norm = false;
  part.rope_width = part.full_every = 0;
  part.block_form = BlockForm::serial;
  part.post_norm = part.head_bias = false;
  part.softcap = part.logit_softcap = 0;
}

}  // namespace

const WorkloadTraits& traits_of(WorkloadKind kind) {
  return kWorkloadTraits[static_cast<std::size_t>(kind)];
}

// The norms before and behind each part and those of heads; biases of all but SwiGLU, or of
// queries, keys and values alone.
std::int64_t block_others(const WorkloadSpec& spec) {
  const std::int64_t before = block_form(spec) == BlockForm::shared_norm ? 1 : 2;
  std::int64_t count = (before + (has_post_norms(spec) ? 2 : 0)) * norm_parameters(spec);
  const Latent low = latent(spec);
  const std::int64_t d_head = head_size(spec), kv = kv_head_count(spec) * d_head;
  if (low.any()) {
    count += low.q_rank + low.kv_rank;
  } else {
    if (has_query_norms(spec)) count += 2 * d_head;
    if (has_query_biases(spec)) count += spec.heads * d_head + 2 * kv;
  }
  if (!spec.bias) return count;
  count += spec.d_model;
  if (spec.ffn == FeedForward::gelu) count += spec.d_ff + spec.d_model;
  return count;
}

namespace {

// The products of one block, with experts or without.
void add_block(const WorkloadSpec& spec, const Experts& experts, Products& products) {
  const Latent low = latent(spec);
  const Products input = low.any() ? latent_projections(spec) : projections(spec, spec.d_model);
  products.insert(products.end(), input.begin(), input.end());
  products.push_back({spec.heads * value_size(spec), spec.d_model});
  if (!experts.any()) {
    add_feed_forward(spec, spec.ffn, products);
    return;
  }
  products.push_back({spec.d_model, experts.count});
  products.push_back({spec.d_model, experts.hidden, 2 * experts.per_token, 2 * experts.count});
  products.push_back({experts.hidden, spec.d_model, experts.per_token, experts.count});
  if (experts.shared == 0) return;
  products.push_back({spec.d_model, experts.shared, 2});
  products.push_back({experts.shared, spec.d_model});
  if (experts.gated) products.push_back({spec.d_model, 1});
}

}  // namespace

std::vector<Product> block_products(const WorkloadSpec& spec, std::int64_t first,
                                    std::int64_t count) {
  const Experts found = experts(spec);
  const std::int64_t with = found.blocks_with(first, first + count);
  Products products;
  const auto add = [&](const Experts& which, std::int64_t blocks) {
    if (blocks == 0) return;
    Products of_one;
    add_block(spec, which, of_one);
    for (Product product : of_one) {
      product.count *= blocks;
      product.stored *= blocks;
      products.push_back(product);
    }
  };
  add({}, count - with);
  add(found, with);
  return products;
}

std::vector<Product> adapted_products(const WorkloadSpec& spec) {
  const Lora low = lora(spec);
  if (low.rank == 0) return {};
  const std::int64_t width = spec.d_model, kv = kv_head_count(spec) * head_size(spec);
  const std::int64_t q = spec.heads * head_size(spec);
  if (low.on == LoraOn::qv) return {{width, q}, {width, kv}};
  Products products;
  if (spec.fused_qkv) {
    products.push_back({width, q + 2 * kv});
  } else {
    products = projections(spec, width);
  }
  products.push_back({q, width});
  if (low.on == LoraOn::all) add_feed_forward(spec, spec.ffn, products);
  return products;
}

std::vector<Product> adapter_products(const WorkloadSpec& spec) {
  if (!trains_adapters(spec)) return {};
  // Those of a vision-language model are in its language model.
  if (traits_of(spec.workload).joins_images) return adapter_products(language_of(spec));
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
  language.corpus.clear();
  return language;
}

FrozenParts frozen_parts(const WorkloadSpec& spec) {
  if (traits_of(spec.workload).joins_images && trains_adapters(spec)) return {true, true, true};
  if (!field_applies(spec, Field::frozen)) return {};
  const bool both = spec.frozen == Frozen::both;
  return {both || spec.frozen == Frozen::encoder, false, both || spec.frozen == Frozen::language};
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
  experts.hidden = spec.expert_ff > 0 ? spec.expert_ff : spec.d_ff;
  experts.shared = spec.shared_ff;
  experts.gated = spec.shared_ff > 0 && spec.shared_gate;
  experts.weights = spec.expert_weights;
  experts.scale = spec.expert_scale;
  if (field_applies(spec, Field::dense_layers)) {
    experts.dense_layers = spec.dense_layers;
    experts.every = spec.expert_every;
  }
  return experts;
}

// Block i has experts if i + 1 can be divided by `every`.
std::int64_t Experts::blocks_with(std::int64_t first, std::int64_t end) const {
  const std::int64_t begin = std::max(first, dense_layers);
  return any() && begin < end ? end / every - begin / every : 0;
}

Latent latent(const WorkloadSpec& spec) {
  Latent low;
  if (spec.kv_rank == 0 || !field_applies(spec, Field::kv_rank)) return low;
  const std::int64_t d_head = head_size(spec);
  low.kv_rank = spec.kv_rank;
  low.q_rank = spec.q_rank;
  low.rope = spec.rope_width > 0 ? spec.rope_width : d_head / 2;
  low.nope = d_head - low.rope;
  low.value = spec.v_width > 0 ? spec.v_width : d_head;
  return low;
}

bool has_query_biases(const WorkloadSpec& spec) {
  return spec.bias || (spec.qkv_bias && field_applies(spec, Field::qkv_bias));
}

bool has_query_norms(const WorkloadSpec& spec) {
  return spec.qk_norm && field_applies(spec, Field::qk_norm);
}

bool has_own_heads(const WorkloadSpec& spec) {
  const bool wide = spec.head_width > 0 && field_applies(spec, Field::head_width);
  const bool biased = spec.qkv_bias && field_applies(spec, Field::qkv_bias);
  return wide || biased || has_query_norms(spec) || latent(spec).any();
}

BlockForm block_form(const WorkloadSpec& spec) {
  return field_applies(spec, Field::block_form) ? spec.block_form : BlockForm::serial;
}

bool has_post_norms(const WorkloadSpec& spec) {
  return spec.post_norm && field_applies(spec, Field::post_norm);
}

bool has_head_bias(const WorkloadSpec& spec) {
  return spec.head_bias && field_applies(spec, Field::head_bias);
}

Softcaps softcaps(const WorkloadSpec& spec) {
  Softcaps caps;
  if (field_applies(spec, Field::softcap)) caps.scores = spec.softcap;
  if (field_applies(spec, Field::logit_softcap)) caps.logits = spec.logit_softcap;
  return caps;
}

std::int64_t turned_size(const WorkloadSpec& spec) {
  const Latent low = latent(spec);
  if (low.any()) return low.rope;
  const bool part = spec.rope_width > 0 && field_applies(spec, Field::rope_width);
  return part ? spec.rope_width : head_size(spec);
}

bool has_own_form(const WorkloadSpec& spec) {
  const Softcaps caps = softcaps(spec);
  const bool part = !latent(spec).any() && turned_size(spec) != head_size(spec);
  return block_form(spec) != BlockForm::serial || has_post_norms(spec) || has_head_bias(spec) ||
         caps.scores > 0 || caps.logits > 0 || part;
}

std::int64_t active_count(const WorkloadSpec& spec) {
  const Experts found = experts(spec);
  if (!found.any()) return parameter_count(spec);
  const std::int64_t layers = found.blocks_with(0, attention_count(spec));
  const std::int64_t of_one = 3 * spec.d_model * found.hidden;
  return parameter_count(spec) - (found.count - found.per_token) * of_one * layers;
}

}  // namespace ts::spec
