#include "core/spec/workload_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "core/spec/presets.h"
#include "core/spec/workload_traffic.h"
#include "core/spec/workload_traits.h"
#include "tests/spec/preset_spec.h"

namespace ts::spec {
namespace {

// labs.md, W8: sizes as printed there.
struct Row {
  const char* id;
  double parameters;
  double tolerance;
  double tflop[3];  // forward at T = 128, 256, 512
  double tflop_tolerance[3];
};

class CourseSizes : public testing::TestWithParam<Row> {};

TEST_P(CourseSizes, parameters_are_those_of_the_table) {
  const Row& row = GetParam();
  const auto spec = preset_spec(WorkloadKind::lm, row.id);
  EXPECT_NEAR(static_cast<double>(parameter_count(spec)), row.parameters, row.tolerance);
}

TEST_P(CourseSizes, forward_flops_are_those_of_the_table) {
  const Row& row = GetParam();
  auto spec = preset_spec(WorkloadKind::lm, row.id);
  spec.pass = Pass::forward;
  const std::int64_t lengths[] = {128, 256, 512};
  for (int i = 0; i < 3; ++i) {
    spec.seq_len = lengths[i];
    const Flops flops = step_flops(spec, AttentionBackend::naive);
    EXPECT_NEAR(flops.forward * 1e-12, row.tflop[i], row.tflop_tolerance[i]) << lengths[i];
    EXPECT_EQ(flops.backward, 0);
  }
}

constexpr double kThird = 0.0005;  // half a unit of the last printed digit
constexpr double kSecond = 0.005;
INSTANTIATE_TEST_SUITE_P(
    Labs, CourseSizes,
    testing::Values(Row{"small", 128.6e6, 5e4, {0.126, 0.257, 0.534}, {kThird, kThird, kThird}},
                    Row{"medium", 423.2e6, 5e4, {0.429, 0.871, 1.79}, {kThird, kThird, kSecond}},
                    Row{"large", 969.4e6, 5e4, {0.992, 2.01, 4.11}, {kThird, kSecond, kSecond}},
                    Row{"xl", 1998e6, 5e5, {2.05, 4.14, 8.44}, {kSecond, kSecond, kSecond}},
                    Row{"2.7B", 3407e6, 5e5, {3.48, 7.01, 14.19}, {kSecond, kSecond, kSecond}}),
    [](const auto& row) {
      std::string name = row.param.id;
      for (char& letter : name) letter = letter == '.' ? '_' : letter;
      return name;
    });

TEST(WorkloadMath, course_model_of_assignment_two) {
  const auto spec = preset_spec(WorkloadKind::lm, "a2-lm");
  EXPECT_EQ(parameter_count(spec), 76'372'480);
  EXPECT_EQ(tokens_per_step(spec), 32 * 128);
  const Flops flops = step_flops(spec, AttentionBackend::naive);
  EXPECT_NEAR(flops.forward * 1e-12, 0.422, 0.0005);
  EXPECT_NEAR(flops.total() * 1e-12, 1.267, 0.0005);
}

TEST(WorkloadMath, attention_follows_f1) {
  WorkloadSpec spec;
  spec.batch = 2;
  spec.heads = 3;
  spec.seq_len = 100;
  spec.d_head = 5;
  spec.causal = true;
  const double full = 4.0 * 2 * 3 * 100 * 100 * 5;
  EXPECT_EQ(parameter_count(spec), 0);
  for (const auto backend : {AttentionBackend::naive, AttentionBackend::math}) {
    const Flops flops = step_flops(spec, backend);
    EXPECT_DOUBLE_EQ(flops.forward, full);
    EXPECT_DOUBLE_EQ(flops.backward, 2 * full);
  }
  const Flops causal = step_flops(spec, AttentionBackend::flash);
  EXPECT_DOUBLE_EQ(causal.forward, full * 101 / 200);
  EXPECT_DOUBLE_EQ(causal.backward, 2.5 * causal.forward);
  spec.causal = false;
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::flash).forward, full);
  spec.pass = Pass::forward;
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::flash).total(), full);
}

// labs.md, W1: three products with d x d weights, and attention of one head; W10: one product three
// times as wide.
TEST(WorkloadMath, projections_have_parameters_and_products) {
  auto spec = preset_spec(WorkloadKind::attention, "a2-w1");
  spec.d_head = 16;
  spec.seq_len = 256;
  EXPECT_EQ(parameter_count(spec), 3 * 16 * 16);
  const double products = 3 * 2.0 * 8 * 256 * 16 * 16;
  const double attention = 4.0 * 8 * 256 * 256 * 16;
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::naive).forward, products + attention);
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::naive).backward, 2 * (products + attention));
  spec.projections = false;
  EXPECT_EQ(parameter_count(spec), 0);
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::naive).forward, attention);

  const auto fused = preset_spec(WorkloadKind::attention, "w10");
  EXPECT_EQ(parameter_count(fused), 4096 * 3 * 4096);
  auto grouped = fused;
  grouped.kv_heads = 4;
  EXPECT_EQ(parameter_count(grouped), 4096 * (4096 + 2 * 4 * 128));
}

// All experts are parameters; a token meets some, and the router.
TEST(WorkloadMath, experts_have_parameters_and_products) {
  WorkloadSpec spec;
  spec.workload = WorkloadKind::lm;
  spec.d_model = 64;
  spec.heads = 8;
  spec.d_ff = 100;
  spec.layers = 3;
  spec.vocab = 50;
  spec.batch = 2;
  spec.seq_len = 10;
  const std::int64_t plain = parameter_count(spec), one = 3 * 64 * 100, router = 64 * 7;
  const double flops = step_flops(spec, AttentionBackend::naive).forward;
  const double traffic = step_traffic(spec, AttentionBackend::naive);
  spec.experts = 7;
  EXPECT_EQ(parameter_count(spec), plain + 3 * (6 * one + router));
  EXPECT_EQ(active_count(spec), plain + 3 * (one + router));
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::naive).forward,
                   flops + 2.0 * 20 * 3 * (one + router));
  EXPECT_GT(step_traffic(spec, AttentionBackend::naive) - traffic, 4.0 * 3 * 6 * one)
      << "all weights are read";
  spec.capacity = 1;
  EXPECT_EQ(experts(spec).room(20), 6) << "40 choices of 7 experts, rounded up";
  spec.capacity = 0;
  EXPECT_EQ(experts(spec).room(20), 20);
  spec.capacity = 100;
  EXPECT_EQ(experts(spec).room(20), 20) << "no more than there are";
}

// A block of DeepSeek-V2 without experts: projections by their sizes, and in a generation the cache
// in place of keys and values.
TEST(WorkloadMath, latent_attention_has_its_own_products) {
  WorkloadSpec spec;
  spec.workload = WorkloadKind::lm;
  spec.d_model = 64;
  spec.heads = 4;
  spec.d_ff = 100;
  spec.layers = 3;
  spec.vocab = 50;
  spec.batch = 2;
  spec.seq_len = 10;
  spec.head_width = 24;
  const std::int64_t attention = 64 * 4 * 24 * 4, without = parameter_count(spec) - 3 * attention;
  spec.kv_rank = 20;
  spec.rope_width = 8;
  spec.v_width = 12;
  const std::int64_t keys = 64 * (20 + 8) + 20 * 4 * (16 + 12), output = 4 * 12 * 64;
  EXPECT_EQ(parameter_count(spec), without + 3 * (64 * 4 * 24 + keys + output + 20));
  spec.q_rank = 28;
  const std::int64_t queries = 64 * 28 + 28 * 4 * 24;
  EXPECT_EQ(parameter_count(spec), without + 3 * (queries + keys + output + 20 + 28));
  const double weights = 3.0 * static_cast<double>(queries + keys + output + 3 * 64 * 100);
  const double pair = 2.0 * 4 * (24 + 12);
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::naive).forward,
                   2.0 * 20 * (weights + 64 * 50) + 3 * 2 * pair * 10 * 10);
  spec.pass = Pass::generate;
  spec.new_tokens = 2;
  const double decoded = 2.0 * 4 * (20 + 8 + 20);
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::naive).forward,
                   2 * (2.0 * 11 * weights + 2 * 2.0 * 64 * 50 + 3 * (pair * 100 + decoded * 11)));
  EXPECT_EQ(cached_numbers(spec), 28);
}

// LoRA's weights are rank (in + out) for each adapted layer; frozen weights have no product for
// their gradient.
TEST(WorkloadMath, adapters_have_parameters_and_products) {
  WorkloadSpec spec;
  spec.workload = WorkloadKind::lm;
  spec.d_model = 64;
  spec.heads = 8;
  spec.kv_heads = 2;
  spec.d_ff = 100;
  spec.layers = 3;
  spec.vocab = 50;
  spec.batch = 2;
  spec.seq_len = 10;
  const std::int64_t plain = parameter_count(spec);
  const Flops before = step_flops(spec, AttentionBackend::naive);
  EXPECT_EQ(trained_count(spec), plain);
  spec.lora_rank = 4;
  const auto added = [&](LoraOn on) {
    spec.lora_on = on;
    EXPECT_EQ(parameter_count(spec), plain + trained_count(spec));
    return trained_count(spec);
  };
  const std::int64_t q = 64 + 64, v = 64 + 16, ffn = 64 + 100;
  EXPECT_EQ(added(LoraOn::qkvo), 3 * 4 * (2 * q + 2 * v));
  EXPECT_EQ(added(LoraOn::all), 3 * 4 * (2 * q + 2 * v + 3 * ffn));
  EXPECT_EQ(added(LoraOn::qv), 3 * 4 * (q + v));
  const Flops flops = step_flops(spec, AttentionBackend::naive);
  const double adapters = 2.0 * 20 * static_cast<double>(trained_count(spec));
  const double attention = 3 * 4.0 * 2 * 10 * 10 * 64;
  EXPECT_DOUBLE_EQ(flops.forward, before.forward + adapters);
  EXPECT_DOUBLE_EQ(flops.backward, before.forward - attention + 2 * attention + 2 * adapters);
  spec.lora_merged = true;
  spec.pass = Pass::forward;
  EXPECT_EQ(parameter_count(spec), plain);
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::naive).total(), before.forward);
  spec.lora_merged = false;
  spec.pass = Pass::generate;
  spec.new_tokens = 3;
  const double with = step_flops(spec, AttentionBackend::naive).total();
  spec.lora_rank = 0;
  // The prompt and two tokens more.
  EXPECT_DOUBLE_EQ(with - step_flops(spec, AttentionBackend::naive).total(), adapters / 20 * 24);
}

TEST(WorkloadMath, one_token_is_never_halved) {
  WorkloadSpec spec;
  spec.seq_len = 1;
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::flash).forward,
                   step_flops(spec, AttentionBackend::naive).forward);
}

TEST(WorkloadMath, mlp_counts_its_biases_as_parameters_only) {
  const auto spec = preset_spec(WorkloadKind::mlp, "w7");
  EXPECT_EQ(parameter_count(spec), 512 * 1024 + 1024 + 1024 * 512 + 512);
  EXPECT_EQ(tokens_per_step(spec), 32);
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::automatic).forward,
                   2.0 * 32 * 2 * 512 * 1024);
}

TEST(WorkloadMath, a_block_is_one_layer_of_the_model) {
  const auto block = preset_spec(WorkloadKind::block, "small");
  auto one = preset_spec(WorkloadKind::lm, "small");
  auto two = one;
  one.layers = 1;
  two.layers = 2;
  EXPECT_EQ(parameter_count(block), parameter_count(two) - parameter_count(one));
  EXPECT_DOUBLE_EQ(step_flops(block, AttentionBackend::flash).total(),
                   step_flops(two, AttentionBackend::flash).total() -
                       step_flops(one, AttentionBackend::flash).total());
}

// Published sizes of GPT-2 (124M, 355M, 774M, 1.56B), with its vocabulary of 50,257 and biases.
TEST(WorkloadMath, gpt2_has_the_published_parameters) {
  const std::pair<const char*, std::int64_t> sizes[] = {{"gpt2", 124'439'808},
                                                        {"gpt2-medium", 354'823'168},
                                                        {"gpt2-large", 774'030'080},
                                                        {"gpt2-xl", 1'557'611'200}};
  for (const auto& [id, parameters] : sizes) {
    auto spec = preset_spec(WorkloadKind::lm, id);
    spec.vocab = 50257;
    EXPECT_EQ(parameter_count(spec), parameters) << id;
  }
  // labs.md, W9: nanoGPT counts without positions and biases, with 50,304 tokens.
  auto spec = preset_spec(WorkloadKind::lm, "gpt2");
  spec.bias = false;
  EXPECT_EQ(parameter_count(spec) - spec.seq_len * spec.d_model, 123'587'328);
}

TEST(WorkloadMath, true_sizes_of_the_models_that_are_named_after_theirs) {
  EXPECT_NEAR(static_cast<double>(parameter_count(preset_spec(WorkloadKind::lm, "10B"))), 12.83e9,
              0.01e9);
}

TEST(WorkloadMath, shared_keys_and_values_save_parameters_and_projections_not_scores) {
  auto all = preset_spec(WorkloadKind::block, "small");
  auto grouped = all;
  grouped.kv_heads = 3;  // of 12
  EXPECT_EQ(parameter_count(all) - parameter_count(grouped), 2 * 768 * (768 - 3 * 64));
  const double saved = 2.0 * static_cast<double>(tokens_per_step(all)) * 2 * 768 * (768 - 3 * 64);
  EXPECT_DOUBLE_EQ(step_flops(all, AttentionBackend::naive).forward -
                       step_flops(grouped, AttentionBackend::naive).forward,
                   saved);
}

TEST(WorkloadMath, cross_attention_multiplies_both_lengths) {
  WorkloadSpec spec;
  spec.batch = 2;
  spec.heads = 3;
  spec.seq_len = 100;
  spec.seq_len_kv = 70;
  spec.d_head = 5;
  spec.causal = false;
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::flash).forward, 4.0 * 2 * 3 * 100 * 70 * 5);
}

// Counted tile by tile.
TEST(WorkloadMath, tiles_above_the_diagonal_are_skipped_whole) {
  for (const std::int64_t length : {1, 7, 64, 100, 129}) {
    for (const std::int64_t rows : {1, 3, 16, 64}) {
      for (const std::int64_t columns : {1, 5, 16, 200}) {
        WorkloadSpec spec;
        spec.seq_len = length;
        spec.tile_q = rows;
        spec.tile_k = columns;
        std::int64_t pairs = 0;
        for (std::int64_t i = 0; i < length; i += rows) {
          for (std::int64_t j = 0; j < length; j += columns) {
            const std::int64_t end = std::min(i + rows, length);
            if (j < end) pairs += (end - i) * (std::min(j + columns, length) - j);
          }
        }
        const double expected =
            4.0 * static_cast<double>(spec.batch * spec.heads * spec.d_head * pairs);
        EXPECT_NEAR(step_flops(spec, AttentionBackend::tiled).forward, expected, expected * 1e-12);
      }
    }
  }
}

TEST(WorkloadMath, checkpointing_computes_blocks_or_attention_again) {
  auto spec = preset_spec(WorkloadKind::lm, "small");
  const Flops plain = step_flops(spec, AttentionBackend::naive);
  EXPECT_EQ(plain.recompute, 0);
  spec.checkpoint = Checkpoint::blocks;
  const Flops blocks = step_flops(spec, AttentionBackend::naive);
  const double head = 2.0 * static_cast<double>(tokens_per_step(spec)) * 10000 * 768;
  EXPECT_DOUBLE_EQ(blocks.recompute, plain.forward - head);
  EXPECT_DOUBLE_EQ(blocks.forward, plain.forward);
  spec.checkpoint = Checkpoint::attention;
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::naive).recompute,
                   12 * 4.0 * 4 * 512 * 512 * 768);
  spec.pass = Pass::forward;
  EXPECT_EQ(step_flops(spec, AttentionBackend::naive).recompute, 0);
}

TEST(WorkloadMath, micro_batches_multiply_the_work_of_a_step) {
  auto spec = preset_spec(WorkloadKind::lm, "tiny");
  const double one = step_flops(spec, AttentionBackend::naive).total();
  spec.accumulate = 4;
  EXPECT_EQ(tokens_per_step(spec), 4 * 2 * 128);
  EXPECT_DOUBLE_EQ(step_flops(spec, AttentionBackend::naive).total(), 4 * one);
  spec.workload = WorkloadKind::block;  // does not apply
  EXPECT_EQ(tokens_per_step(spec), 2 * 128);
}

TEST(WorkloadMath, autocast_decides_the_type_of_products_unless_they_have_16_bits) {
  WorkloadSpec spec;
  spec.autocast = Autocast::fp16;
  EXPECT_EQ(compute_type(spec), DataType::fp16);
  spec.dtype = DataType::bf16;
  EXPECT_EQ(compute_type(spec), DataType::bf16);
}

TEST(WorkloadMath, fused_backends_count_as_flash) {
  EXPECT_EQ(backend_for_formulas("flash"), AttentionBackend::flash);
  EXPECT_EQ(backend_for_formulas("mem-efficient"), AttentionBackend::flash);
  EXPECT_EQ(backend_for_formulas("cuDNN"), AttentionBackend::flash);
  EXPECT_EQ(backend_for_formulas("math"), AttentionBackend::math);
  EXPECT_EQ(backend_for_formulas("naive"), AttentionBackend::naive);
  EXPECT_EQ(backend_for_formulas(""), AttentionBackend::automatic);
}

}  // namespace
}  // namespace ts::spec
