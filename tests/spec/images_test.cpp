#include "core/spec/workload_traits.h"

#include <gtest/gtest.h>

#include "core/spec/workload_math.h"
#include "core/spec/workload_traffic.h"
#include "tests/spec/preset_spec.h"

namespace ts::spec {
namespace {

constexpr auto kBackend = AttentionBackend::naive;

// google/vit-base-patch16-224, and torchvision's vit_l_16.
TEST(Images, encoders_have_the_published_number_of_parameters) {
  EXPECT_EQ(parameter_count(preset_spec(WorkloadKind::vit, "vit-b16")), 86'567'656);
  EXPECT_EQ(parameter_count(preset_spec(WorkloadKind::vit, "vit-l16")), 304'326'632);
  // CLIP's tower has no classes.
  const std::int64_t classes = 1024 * 1000 + 1000;
  EXPECT_EQ(parameter_count(preset_spec(WorkloadKind::vit, "clip-l14")), 303'179'776 + classes);
}

// Vicuna's 6,738,415,616 with 64 tokens more, CLIP's tower at 336 pixels, and the projector.
TEST(Images, llava_has_the_published_number_of_parameters) {
  WorkloadSpec spec = preset_spec(WorkloadKind::vlm, "llava-7b");
  EXPECT_EQ(tokens_of_image(spec), 576);
  EXPECT_EQ(sequence_length(spec), 576 + 512);
  EXPECT_EQ(parameter_count(spec), 7'063'427'072);
  constexpr std::int64_t kTower = 303'507'456, kProjector = 20'979'712;
  EXPECT_EQ(trained_count(spec), 7'063'427'072 - kTower);
  spec.frozen = Frozen::both;
  EXPECT_EQ(trained_count(spec), kProjector);
  spec.frozen = Frozen::language;
  EXPECT_EQ(trained_count(spec), kTower + kProjector);
  spec.frozen = Frozen::none;
  EXPECT_FALSE(freezes(spec));
}

TEST(Images, pixels_that_fill_no_patch_are_left_out) {
  WorkloadSpec spec = preset_spec(WorkloadKind::vit, "tiny");
  EXPECT_EQ(encoder_length(spec), 17);
  spec.image = 39;
  EXPECT_EQ(encoder_length(spec), 17);
  spec.image = 40;
  EXPECT_EQ(encoder_length(spec), 26);
  spec.pool = Pool::mean;
  EXPECT_EQ(encoder_length(spec), 25);
  EXPECT_EQ(tokens_of_image(spec), 1);
}

// ViT-B/16 by hand: stem, twelve blocks, classes.
TEST(Images, forward_flops_are_those_of_the_parts) {
  WorkloadSpec spec = preset_spec(WorkloadKind::vit, "vit-b16");
  spec.batch = 1;
  spec.pass = Pass::forward;
  const double stem = 2.0 * 196 * 768 * 768;
  const double block = 2.0 * 197 * (4 * 768 * 768 + 2 * 768 * 3072) + 4.0 * 197 * 197 * 768;
  const double classes = 2.0 * 768 * 1000;
  EXPECT_DOUBLE_EQ(step_flops(spec, kBackend).forward, stem + 12 * block + classes);
  EXPECT_NEAR(step_flops(spec, kBackend).forward * 1e-9 / 2, 17.56, 0.01) << "multiply-adds";
  spec.pass = Pass::full_step;
  // Images get no gradient.
  EXPECT_DOUBLE_EQ(step_flops(spec, kBackend).backward, stem + 2 * (12 * block + classes));
}

TEST(Images, frozen_parts_have_no_backward_of_their_weights) {
  WorkloadSpec spec = preset_spec(WorkloadKind::vlm, "tiny");
  const double tokens = 2 * (16 + 32), patches = 2 * 16, text = 2 * 32;
  const double stem = 2 * patches * 3 * 64 * 64;
  const double encoder = 2 * (2.0 * 2 * 17 * (4 * 64 * 64 + 2 * 64 * 256) + 4.0 * 2 * 17 * 17 * 64);
  const double first = 2 * patches * 64 * 128, second = 2 * patches * 128 * 128;
  const double products = 2 * 2.0 * tokens * (4 * 128 * 128 + 3 * 128 * 512);
  const double scores = 2 * 4.0 * 2 * 48 * 48 * 128;
  const double head = 2 * text * 128 * 1000;
  const auto backward = [&](Frozen frozen) {
    spec.frozen = frozen;
    return step_flops(spec, kBackend).backward;
  };
  EXPECT_DOUBLE_EQ(step_flops(spec, kBackend).forward,
                   stem + encoder + first + second + products + scores + head);
  EXPECT_DOUBLE_EQ(backward(Frozen::none),
                   stem + 2 * (encoder + first + second + products + scores + head));
  EXPECT_DOUBLE_EQ(backward(Frozen::encoder), first + 2 * (second + products + scores + head));
  EXPECT_DOUBLE_EQ(backward(Frozen::language),
                   stem + 2 * (encoder + first + second + scores) + products + head);
  EXPECT_DOUBLE_EQ(backward(Frozen::both), first + 2 * (second + scores) + products + head);
  const double still = step_traffic(spec, kBackend);
  spec.frozen = Frozen::none;
  EXPECT_LT(still, step_traffic(spec, kBackend));
}

// The adapters of a language model of Llama's sizes, rank (in + out) for each layer that has one;
// the model's own numbers are all frozen, and what comes before it has no backward.
TEST(Images, adapters_are_those_of_the_language_model) {
  WorkloadSpec spec = preset_spec(WorkloadKind::vlm, "llava-7b");
  const std::int64_t plain = parameter_count(spec);
  spec.lora_rank = 16;
  EXPECT_EQ(trained_count(spec), 8'388'608);
  spec.lora_on = LoraOn::all;
  EXPECT_EQ(trained_count(spec), 39'976'960) << "as PEFT prints it for Llama 2 7B";
  EXPECT_EQ(parameter_count(spec), plain + 39'976'960);
  spec.pass = Pass::forward;
  spec.lora_merged = true;
  EXPECT_EQ(parameter_count(spec), plain);

  spec = preset_spec(WorkloadKind::vlm, "tiny");
  const Flops before = step_flops(spec, kBackend);
  spec.lora_rank = 4;
  spec.lora_on = LoraOn::qkvo;
  EXPECT_EQ(trained_count(spec), 2 * 4 * 4 * (128 + 128));
  const double tokens = 2 * (16 + 32), text = 2 * 32;
  const double adapters = 2.0 * tokens * static_cast<double>(trained_count(spec));
  const double products = 2 * 2.0 * tokens * (4 * 128 * 128 + 3 * 128 * 512);
  const double scores = 2 * 4.0 * 2 * 48 * 48 * 128;
  const double head = 2 * text * 128 * 1000;
  const Flops flops = step_flops(spec, kBackend);
  EXPECT_DOUBLE_EQ(flops.forward, before.forward + adapters);
  EXPECT_DOUBLE_EQ(flops.backward, products + head + 2 * (scores + adapters));
  spec.checkpoint = Checkpoint::blocks;
  EXPECT_DOUBLE_EQ(step_flops(spec, kBackend).recompute, products + scores + adapters)
      << "a frozen encoder is not run again";
  spec.frozen = Frozen::encoder;
  EXPECT_EQ(field_reason(spec, Field::frozen), "field.reason.adapters_alone");
  EXPECT_DOUBLE_EQ(step_flops(spec, kBackend).backward, flops.backward) << "it has no effect";
  spec.lora_rank = 129;
  ASSERT_EQ(validate(spec).size(), 1U);
  EXPECT_EQ(validate(spec).front().field, Field::lora_rank);
}

TEST(Images, frozen_layers_are_counted) {
  WorkloadSpec spec = preset_spec(WorkloadKind::lm, "tiny");
  const std::int64_t all = parameter_count(spec);
  const std::int64_t block = 4 * 128 * 128 + 3 * 128 * 512 + 2 * 128;
  spec.frozen_layers = 1;
  EXPECT_EQ(trained_count(spec), all - 1000 * 128 - block);
  spec.frozen_layers = 2;
  EXPECT_EQ(trained_count(spec), 128 + 1000 * 128) << "the last norm and the head";
  const double head = 2.0 * 2 * 128 * 128 * 1000;
  EXPECT_DOUBLE_EQ(step_flops(spec, kBackend).backward, 2 * head);
  spec.frozen_layers = 3;
  ASSERT_EQ(validate(spec).size(), 1U);
  EXPECT_EQ(validate(spec).front().field, Field::frozen_layers);
  spec.pass = Pass::forward;
  EXPECT_TRUE(validate(spec).empty()) << "nothing is trained";
  EXPECT_FALSE(freezes(spec));
}

TEST(Images, impossible_sizes_have_their_sentence) {
  WorkloadSpec spec = preset_spec(WorkloadKind::vlm, "tiny");
  const auto first = [&] {
    const auto problems = validate(spec);
    return problems.size() == 1 ? std::optional(problems.front().field) : std::nullopt;
  };
  EXPECT_TRUE(validate(spec).empty());
  spec.patch = 33;
  EXPECT_EQ(first(), Field::patch);
  spec.patch = 8;
  spec.encoder_heads = 5;
  EXPECT_EQ(first(), Field::encoder_heads);
  spec.encoder_heads = 4;
  spec.pool = Pool::mean;
  spec.image_tokens = 8;
  EXPECT_EQ(first(), Field::image_tokens);
  spec.image_tokens = 25;
  EXPECT_EQ(first(), Field::image_tokens) << "more than patches";
  spec.image_tokens = 9;
  EXPECT_TRUE(validate(spec).empty());
  EXPECT_EQ(sequence_length(spec), 32 + 9);
  spec.pass = Pass::generate;
  EXPECT_EQ(first(), Field::pass);
}

TEST(Images, settings_of_images_matter_to_workloads_with_images) {
  WorkloadSpec spec = preset_spec(WorkloadKind::vit, "tiny");
  EXPECT_EQ(field_reason(spec, Field::T), "field.reason.patches_are_tokens");
  EXPECT_EQ(field_reason(spec, Field::causal), "field.reason.patches_see_all");
  EXPECT_EQ(field_reason(spec, Field::images), "field.reason.only_vlm");
  EXPECT_EQ(field_reason(spec, Field::image_tokens), "field.reason.no_fewer_tokens");
  EXPECT_TRUE(field_applies(spec, Field::layers));
  spec = preset_spec(WorkloadKind::vlm, "tiny");
  EXPECT_TRUE(field_applies(spec, Field::T));
  EXPECT_TRUE(field_applies(spec, Field::frozen));
  EXPECT_EQ(field_reason(spec, Field::frozen_layers), "field.reason.parts_are_frozen");
  spec = preset_spec(WorkloadKind::lm, "tiny");
  EXPECT_EQ(field_reason(spec, Field::image), "field.reason.no_images");
  EXPECT_TRUE(field_applies(spec, Field::frozen_layers));
  spec.lora_rank = 4;
  EXPECT_EQ(field_reason(spec, Field::frozen_layers), "field.reason.adapters_alone");
}

}  // namespace
}  // namespace ts::spec
