#include <algorithm>
#include <cmath>

#include "core/spec/backend_traits.h"
#include "core/spec/masking.h"
#include "core/spec/own_model.h"
#include "core/spec/spec_problems.h"
#include "core/spec/workload_math.h"
#include "core/spec/workload_traits.h"
#include "core/text/numbers.h"

namespace ts::spec {

namespace {

// The divisor of `whole` closest to `near`; the smaller one if two are equally close.
std::int64_t nearest_divisor(std::int64_t whole, std::int64_t near) {
  for (std::int64_t distance = 0;; ++distance) {
    if (near - distance >= 1 && whole % (near - distance) == 0) return near - distance;
    if (near + distance <= whole && whole % (near + distance) == 0) return near + distance;
  }
}

void check_heads(const WorkloadSpec& spec, Problems& problems) {
  if (!traits_of(spec.workload).has_blocks) return;
  const bool own_width = spec.head_width > 0 && field_applies(spec, Field::head_width);
  if (!own_width && spec.d_model % spec.heads != 0) {
    problems.add(Field::heads, "heads_divide",
                 {{"heads", std::to_string(spec.heads)},
                  {"d_model", std::to_string(spec.d_model)},
                  {"nearest", std::to_string(nearest_divisor(spec.d_model, spec.heads))}});
    return;
  }
  const Latent low = latent(spec);
  const std::int64_t turned = turned_size(spec);
  const bool part = low.any() || turned != head_size(spec);
  if (spec.positions == Positions::rope && turned % 2 != 0) {
    if (part || own_width) {
      problems.add(part ? Field::rope_width : Field::head_width, "rope_odd_width",
                   {{"d_head", std::to_string(turned)}});
    } else {
      problems.add(Field::heads, "rope_odd", {{"d_head", std::to_string(turned)}});
    }
  }
  if (turned > head_size(spec) || (low.any() && low.nope <= 0)) {
    problems.add(
        Field::rope_width, "latent_rope",
        {{"rope_width", std::to_string(turned)}, {"d_head", std::to_string(head_size(spec))}});
  }
}

// Checks keys and values: grouped queries, and lengths of their own.
void check_keys(const WorkloadSpec& spec, Problems& problems) {
  if (!field_applies(spec, Field::kv_heads)) return;
  if (spec.heads % kv_head_count(spec) != 0) {
    problems.add(Field::kv_heads, "kv_heads_divide",
                 {{"kv_heads", std::to_string(spec.kv_heads)},
                  {"heads", std::to_string(spec.heads)},
                  {"nearest", std::to_string(nearest_divisor(
                                  spec.heads, std::min(spec.kv_heads, spec.heads)))}});
  }
  if (spec.causal && kv_length(spec) != sequence_length(spec)) {
    problems.add(Field::T_kv, "causal_cross",
                 {{"t_kv", std::to_string(kv_length(spec))}, {"t", std::to_string(spec.seq_len)}});
  }
}

// Windows and packed sequences are about the tokens of one sequence.
void check_masks(const WorkloadSpec& spec, Problems& problems) {
  const Masking masks = masking(spec);
  const std::int64_t keys = kv_length(spec);
  if (masks.window > 0 && keys != spec.seq_len) problems.add(Field::window, "window_cross");
  if (masks.packed > 0 && keys != spec.seq_len) problems.add(Field::packed, "packed_cross");
  if (masks.padding >= keys) {
    problems.add(Field::padding, "padding_whole",
                 {{"padding", text::grouped(masks.padding)}, {"keys", text::grouped(keys)}});
  }
}

// A backend that has no such mask or no softcap, or keeps all probabilities.
void check_masked_backend(const WorkloadSpec& spec, Problems& problems) {
  if (!field_applies(spec, Field::backend) || comes_from_file(spec)) return;
  const BackendTraits& traits = traits_of(spec.backend);
  const bool cuda = spec.device == DeviceKind::cuda;
  const std::vector<base::Argument> place = {{"backend", to_string(spec.backend)},
                                             {"device", to_string(spec.device)}};
  if (masking(spec).any() && !(cuda ? traits.masks_on_cuda : traits.masks_on_cpu))
    problems.add(Field::backend, "backend_masks", place);
  if (softcaps(spec).scores > 0 && spec.backend != AttentionBackend::naive)
    problems.add(Field::backend, "backend_softcap", {place.front()});
  if (dropping(spec).attention > 0 && !(cuda ? traits.drops_on_cuda : traits.drops_on_cpu))
    problems.add(Field::backend, "backend_dropout", place);
}

// Heads that the kernel cannot have; those of a file are known when it runs.
void check_backend_heads(const WorkloadSpec& spec, Problems& problems) {
  const BackendTraits& traits = traits_of(spec.backend);
  const char* const name = to_string(spec.backend);
  if (traits.largest_head > 0 && head_size(spec) > traits.largest_head) {
    problems.add(Field::backend, "backend_head",
                 {{"backend", name},
                  {"max", std::to_string(traits.largest_head)},
                  {"d_head", std::to_string(head_size(spec))}});
  }
  if (!traits.groups_queries && kv_head_count(spec) != spec.heads) {
    problems.add(Field::backend, "backend_groups",
                 {{"backend", name},
                  {"kv_heads", std::to_string(kv_head_count(spec))},
                  {"heads", std::to_string(spec.heads)}});
  }
}

void check_checkpoint(const WorkloadSpec& spec, Problems& problems) {
  if (comes_from_file(spec) && checkpointing(spec) == Checkpoint::attention)
    problems.add(Field::checkpoint, "checkpoint_in_file");
}

void check_backend(const WorkloadSpec& spec, Problems& problems) {
  if (!field_applies(spec, Field::backend)) return;
  const BackendTraits& traits = traits_of(spec.backend);
  const char* const name = to_string(spec.backend);
  const bool from_file = comes_from_file(spec);
  if (from_file && !traits.of_sdpa) {
    problems.add(Field::backend, "backend_in_file", {{"backend", name}});
    return;
  }
  if (!from_file && latent(spec).any() && traits.one_width) {
    problems.add(Field::backend, "backend_latent", {{"backend", name}});
    return;
  }
  if (spec.device != DeviceKind::cuda) {
    if (traits.on_cpu) return;
    problems.add(Field::backend, "backend_cuda", {{"backend", name}});
    return;
  }
  const DataType type = compute_type(spec);
  const bool wide = type == DataType::fp32 || type == DataType::tf32;
  if (wide && traits.only_16_bits) {
    problems.add(Field::backend, "fused_dtype", {{"backend", name}, {"dtype", to_string(type)}});
  }
  if (!from_file) check_backend_heads(spec, problems);
}

void check_additions(const WorkloadSpec& spec, Problems& problems) {
  constexpr std::int64_t kMost = 16384;
  if (traits_of(spec.workload).has_input || spec.seq_len <= kMost) return;
  problems.add(Field::T, "accumulation_long",
               {{"max", text::grouped(kMost)}, {"value", text::grouped(spec.seq_len)}});
}

void check_precision(const WorkloadSpec& spec, Problems& problems) {
  if (spec.dtype == DataType::tf32 && spec.device != DeviceKind::cuda) {
    problems.add(Field::dtype, "tf32_cuda");
  }
}

void check_training(const WorkloadSpec& spec, Problems& problems) {
  const WorkloadTraits& traits = traits_of(spec.workload);
  if (traits.from_file && spec.pass != Pass::forward && parameter_count(spec) == 0) {
    problems.add(Field::pass, "pass_model_no_parameters");
  } else if (traits.trains && spec.pass == Pass::full_step && parameter_count(spec) == 0) {
    problems.add(Field::pass, "pass_no_parameters");
  }
  if (!traits.language_model && spec.pass == Pass::generate) {
    problems.add(Field::pass, "generate_lm");
  }
  if (!traits.trains && spec.pass != Pass::forward) {
    problems.add(Field::pass, "forward_only", {{"workload", to_string(spec.workload)}});
  }
  if (!field_applies(spec, Field::cycle_steps)) return;
  if (spec.warmup_steps >= spec.cycle_steps) {
    problems.add(
        Field::cycle_steps, "warmup_too_long",
        {{"warmup", text::grouped(spec.warmup_steps)}, {"cycle", text::grouped(spec.cycle_steps)}});
  }
  if (spec.min_learning_rate > spec.learning_rate) {
    problems.add(
        Field::min_lr, "min_lr_above",
        {{"min_lr", text::plain(spec.min_learning_rate)}, {"lr", text::plain(spec.learning_rate)}});
  }
}

// A matrix of in x out has no higher rank than its smaller side.
void check_lora(const WorkloadSpec& spec, Problems& problems) {
  const Lora low = lora(spec);
  if (low.rank == 0) return;
  if (latent(spec).any()) {
    problems.add(Field::lora_rank, "latent_lora");
    return;
  }
  if (low.on == LoraOn::qv && spec.fused_qkv) {
    problems.add(Field::lora_on, "lora_fused_qkv");
    return;
  }
  for (const Product& layer : adapted_products(spec)) {
    const std::int64_t most = std::min(layer.in, layer.out);
    if (low.rank <= most) continue;
    problems.add(Field::lora_rank, "lora_rank_high",
                 {{"rank", text::grouped(low.rank)},
                  {"in", text::grouped(layer.in)},
                  {"out", text::grouped(layer.out)},
                  {"most", text::grouped(most)}});
    return;
  }
  if (low.merged && keeps_graph(spec)) problems.add(Field::lora_merged, "lora_merged_trains");
}

void check_experts(const WorkloadSpec& spec, Problems& problems) {
  const Experts found = experts(spec);
  if (!found.any()) return;
  if (found.per_token > found.count) {
    problems.add(
        Field::experts_per_token, "experts_few",
        {{"chosen", text::grouped(found.per_token)}, {"experts", text::grouped(found.count)}});
  }
  const Lora low = lora(spec);
  if (low.rank > 0 && low.on == LoraOn::all) problems.add(Field::lora_on, "experts_lora");
}

std::int64_t root_of(std::int64_t square) {
  return static_cast<std::int64_t>(std::lround(std::sqrt(static_cast<double>(square))));
}

// Means are of squares of patches, one for each token.
void check_pool(const WorkloadSpec& spec, Problems& problems) {
  if (spec.pool != Pool::mean || !traits_of(spec.workload).joins_images) return;
  const std::int64_t side = spec.image / spec.patch;
  const std::int64_t root = root_of(spec.image_tokens);
  if (root * root == spec.image_tokens && root <= side) return;
  const std::int64_t nearest = std::clamp<std::int64_t>(root, 1, side);
  problems.add(Field::image_tokens, "image_tokens_square",
               {{"image_tokens", text::grouped(spec.image_tokens)},
                {"patches", text::grouped(side * side)},
                {"nearest", text::grouped(nearest * nearest)}});
}

void check_encoder_heads(const WorkloadSpec& spec, Problems& problems) {
  if (spec.encoder_width % spec.encoder_heads == 0) {
    check_backend(encoder_of(spec), problems);
    return;
  }
  const std::int64_t near = std::min(spec.encoder_heads, spec.encoder_width);
  problems.add(Field::encoder_heads, "encoder_heads_divide",
               {{"encoder_width", std::to_string(spec.encoder_width)},
                {"encoder_heads", std::to_string(spec.encoder_heads)},
                {"nearest", std::to_string(nearest_divisor(spec.encoder_width, near))}});
}

void check_images(const WorkloadSpec& spec, Problems& problems) {
  if (!traits_of(spec.workload).sees_images) return;
  if (spec.patch > spec.image) {
    problems.add(Field::patch, "patch_large",
                 {{"patch", std::to_string(spec.patch)}, {"image", std::to_string(spec.image)}});
    return;
  }
  check_pool(spec, problems);
  if (traits_of(spec.workload).joins_images) check_encoder_heads(spec, problems);
}

// A last layer alone is less than the last block.
void check_frozen_layers(const WorkloadSpec& spec, Problems& problems) {
  const bool too_many =
      field_applies(spec, Field::frozen_layers) && spec.frozen_layers > spec.layers;
  if (!too_many) return;
  problems.add(Field::frozen_layers, "frozen_layers_many",
               {{"frozen_layers", std::to_string(spec.frozen_layers)},
                {"layers", std::to_string(spec.layers)}});
}

// Each mistake needs what it is about.
void check_habit(const WorkloadSpec& spec, Problems& problems) {
  switch (habit(spec)) {
    case Habit::none:
      return;
    case Habit::no_zero_grad:
      if (!has_backward(spec.pass)) problems.add(Field::habit, "habit_backward");
      return;
    case Habit::kept_graph:
      if (!keeps_graph(spec)) problems.add(Field::habit, "habit_graph");
      return;
    case Habit::kept_output:
      return;
    case Habit::no_sync:
      if (spec.device == DeviceKind::cpu) problems.add(Field::habit, "habit_gpu");
      return;
    case Habit::clip_after_step:
      if (!clips(spec)) problems.add(Field::habit, "habit_clip");
      return;
    case Habit::clip_scaled:
      if (!clips(spec) || !scales_loss(spec)) problems.add(Field::habit, "habit_scaled");
      return;
    case Habit::rebuild:
      if (spec.pass != Pass::full_step) problems.add(Field::habit, "habit_step");
      return;
  }
}

struct Tensor {
  Field field;  // the field to lower first
  const char* shape;
  const char* lower;
  long double elements;
};

std::vector<Tensor> largest_tensors(const WorkloadSpec& spec) {
  const auto size = [](std::int64_t value) { return static_cast<long double>(value); };
  const long double tokens = size(spec.batch) * size(sequence_length(spec));
  std::vector<Tensor> tensors;
  if (field_applies(spec, Field::heads)) {
    const long double head_tokens = tokens * size(spec.heads);
    tensors.push_back({Field::T, "B x T x heads x d_head", "B, T, heads or d_head",
                       head_tokens * size(head_size(spec))});
    if (kv_length(spec) != sequence_length(spec)) {
      tensors.push_back(
          {Field::T_kv, "B x T_kv x heads x d_head", "B, T_kv, heads or d_head",
           size(spec.batch) * size(kv_length(spec)) * size(spec.heads) * size(head_size(spec))});
    }
    if (traits_of(spec.backend).stores_scores) {
      tensors.push_back(
          {Field::T, "B x heads x T x T", "T, B or heads", head_tokens * size(kv_length(spec))});
    }
  }
  if (field_applies(spec, Field::d_model)) {
    tensors.push_back(
        {Field::T, "B x T x d_model", "B, T or d_model", tokens * size(spec.d_model)});
  }
  if (field_applies(spec, Field::d_ff)) {
    tensors.push_back({Field::T, "B x T x d_ff", "B, T or d_ff", tokens * size(spec.d_ff)});
  }
  if (field_applies(spec, Field::vocab)) {
    tensors.push_back({Field::T, "B x T x vocab", "B, T or vocab", tokens * size(spec.vocab)});
  }
  return tensors;
}

std::vector<Tensor> largest_of_images(const WorkloadSpec& spec) {
  if (!traits_of(spec.workload).sees_images || spec.patch > spec.image) return {};
  const auto size = [](std::int64_t value) { return static_cast<long double>(value); };
  std::vector<Tensor> tensors = {
      {Field::image, "B x images x 3 x image x image", "B or image",
       size(spec.batch) * size(spec.images) * 3 * size(spec.image) * size(spec.image)}};
  if (!traits_of(spec.workload).joins_images) return tensors;
  for (Tensor tensor : largest_tensors(encoder_of(spec))) {
    tensor.field = Field::image;
    tensors.push_back(tensor);
  }
  return tensors;
}

// Beyond 1 EiB sums of a few tensors would overflow int64, and no address space is that large.
void check_sizes(const WorkloadSpec& spec, Problems& problems) {
  constexpr long double kExbibyte = 1152921504606846976.0L;
  constexpr long double kElementBytes = 4;  // also for bf16: scores and logits may be kept in fp32
  std::vector<Tensor> tensors = largest_of_images(spec);
  for (const Tensor& tensor : largest_tensors(spec)) tensors.push_back(tensor);
  for (const Tensor& tensor : tensors) {
    if (tensor.elements * kElementBytes <= kExbibyte) continue;
    problems.add(tensor.field, "too_large", {{"shape", tensor.shape}, {"fields", tensor.lower}});
    return;
  }
}

// A model has no more tokens than its table has positions.
void check_positions(const WorkloadSpec& spec, Problems& problems) {
  const bool table = spec.max_positions > 0 && field_applies(spec, Field::max_positions);
  if (!table || context_length(spec) <= spec.max_positions) return;
  problems.add(Field::T, "positions_few",
               {{"positions", std::to_string(spec.max_positions)},
                {"tokens", std::to_string(context_length(spec))}});
}

}  // namespace

void check_combinations(const WorkloadSpec& spec, Problems& problems) {
  check_heads(spec, problems);
  check_keys(spec, problems);
  check_positions(spec, problems);
  check_masks(spec, problems);
  check_backend(spec, problems);
  check_checkpoint(spec, problems);
  check_masked_backend(spec, problems);
  check_precision(spec, problems);
  check_additions(spec, problems);
  check_training(spec, problems);
  check_experts(spec, problems);
  check_lora(spec, problems);
  if (problems.empty()) check_images(spec, problems);
  check_frozen_layers(spec, problems);
  check_habit(spec, problems);
  check_sizes(spec, problems);
}

}  // namespace ts::spec
