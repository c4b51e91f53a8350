// Predicted against measured on the CPU, event by event.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "core/spec/presets.h"
#include "core/spec/spec_fields.h"
#include "core/spec/spec_values.h"
#include "core/spec/workload_math.h"
#include "tests/kernels/by_executor.h"
#include "tests/kernels/dry_run_compare.h"

namespace ts::kernels {
namespace {

using spec::AttentionBackend, spec::Pass, spec::WorkloadKind;

// Everything the engine offers, at sizes that catch what depends on them: ordinary, one token, one
// row, and lengths that are no multiple of any tile.
std::vector<spec::WorkloadSpec> every_spec() {
  struct Sizes {
    std::int64_t batch, seq_len;
  };
  std::vector<spec::WorkloadSpec> specs;
  for (const spec::WorkloadSpec& small : every_small_spec()) {
    for (const auto backend :
         {AttentionBackend::naive, AttentionBackend::math, AttentionBackend::flash,
          AttentionBackend::own, AttentionBackend::automatic}) {
      for (const Sizes sizes :
           {Sizes{2, 64}, Sizes{3, 1}, Sizes{1, 77}, Sizes{2, 210}, Sizes{1, 801}}) {
        // Attention tiles: 32, 64 and 256 queries, 512 keys.
        if (sizes.seq_len > 200 && small.workload != WorkloadKind::attention) continue;
        spec::WorkloadSpec spec = small;
        spec.backend = backend;
        spec.batch = sizes.batch;
        spec.seq_len = sizes.seq_len;
        if (!spec::field_applies(spec, spec::Field::backend) &&
            backend != AttentionBackend::naive) {
          continue;
        }
        specs.push_back(spec);
        if (backend != AttentionBackend::naive) continue;
        spec.kernels = spec::Kernels::own;
        if (spec::uses_own_kernels(spec)) specs.push_back(spec);
      }
    }
  }
  // Logits in several chunks, the last one smaller.
  for (const auto dtype : {spec::DataType::fp32, spec::DataType::bf16, spec::DataType::fp16}) {
    for (const auto autocast : {spec::Autocast::off, spec::Autocast::bf16}) {
      spec::WorkloadSpec spec = small_spec(WorkloadKind::cross_entropy);
      spec.seq_len = 520;
      spec.vocab = 400;
      spec.dtype = dtype;
      spec.autocast = autocast;
      spec.kernels = spec::Kernels::own;
      if (autocast == spec::Autocast::off || spec::field_applies(spec, spec::Field::autocast)) {
        specs.push_back(spec);
      }
    }
  }
  return specs;
}

std::string full_name(const testing::TestParamInfo<spec::WorkloadSpec>& info) {
  return spec_name(info) + "_" + to_string(info.param.backend) + "_B" +
         std::to_string(info.param.batch) + "_T" + std::to_string(info.param.seq_len) +
         (info.param.kernels == spec::Kernels::own ? "_own_kernels" : "") +
         (info.param.autocast == spec::Autocast::off ? "" : "_autocast");
}

struct DryRunOf : testing::TestWithParam<spec::WorkloadSpec> {};

void expect_as_the_real_run(const spec::WorkloadSpec& spec) {
  constexpr int kSteps = 3;
  // The two models of vlm have records for more than the usual ring.
  RealRun real(spec.workload == spec::WorkloadKind::vlm ? 1U << 17 : 1U << 15);
  ASSERT_NO_FATAL_FAILURE(run_for_real(spec, kSteps, real));
  base::StringTable strings;
  predict::DryRunOptions options;
  options.steps = kSteps;
  options.rules = spec::DeviceKind::cpu;
  const auto dry = dry_runner().dry_run(spec, options, strings, {});
  ASSERT_TRUE(dry) << dry.error().sentence;
  EXPECT_EQ(dry->log.unmatched_frees(), 0U);
  EXPECT_EQ(dry->log.missed_frees(), 0U);
  EXPECT_EQ(dry->log.unmatched_owners(), 0U);
  EXPECT_EQ(dry->parameters, real.parameters);
  EXPECT_EQ(dry->backend, real.backend);
  EXPECT_EQ(dry->types, real.types);
  // The share of the explained events in the peak.
  const std::int64_t explained = explained_bytes(dry->log, strings);
  EXPECT_GE(dry->log.peak_bytes(), real.peak - explained);
  EXPECT_LE(dry->log.peak_bytes(), real.peak + explained);
  const auto predicted = without_explained(seen_events(dry->log, strings));
  const auto measured = without_explained(seen_events(real.recorded.memory, real.recorded.strings));
  const std::string difference = first_difference(predicted, measured);
  if (!difference.empty()) FAIL() << difference;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    ASSERT_EQ(predicted[i].category, measured[i].category) << i << ": " << predicted[i].text();
    ASSERT_EQ(predicted[i].module, measured[i].module) << i << ": " << predicted[i].text();
  }
}

TEST_P(DryRunOf, EqualsTheRealRunEventByEvent) {
  expect_as_the_real_run(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, DryRunOf, testing::ValuesIn(every_spec()), full_name);

// The kernels in CUDA C++, run by the executor: the blocks that their operators make on a card.
TEST(DryRunOfKernelsInCuda, EqualsTheRealRunEventByEvent) {
  const CpuAsCuda cuda(run_by_executor);
  for (const auto workload :
       {WorkloadKind::softmax, WorkloadKind::norm, WorkloadKind::weighted_sum,
        WorkloadKind::cross_entropy, WorkloadKind::attention, WorkloadKind::lm}) {
    for (const auto dtype : {spec::DataType::fp32, spec::DataType::bf16}) {
      for (const auto norm : {spec::NormKind::rmsnorm, spec::NormKind::layernorm}) {
        spec::WorkloadSpec spec = small_spec(workload);
        spec.kernels = spec::Kernels::own;
        spec.batch = 1;
        spec.seq_len = 20;
        spec.dtype = dtype;
        spec.norm = norm;
        spec.bias = norm == spec::NormKind::layernorm;
        if (workload == WorkloadKind::cross_entropy) spec.vocab = 2100;  // two chunks
        SCOPED_TRACE(testing::PrintToString(spec));
        ASSERT_TRUE(spec::uses_own_kernels(spec));
        expect_as_the_real_run(spec);
      }
    }
  }
}

// Attention with heads that are filled up, that lie between one another, and that share keys.
TEST(DryRunOfKernelsInCuda, AttentionEqualsTheRealRunEventByEvent) {
  const CpuAsCuda cuda(run_by_executor);
  for (const auto workload : {WorkloadKind::attention, WorkloadKind::block, WorkloadKind::lm}) {
    for (const auto dtype : {spec::DataType::fp32, spec::DataType::bf16}) {
      for (const std::int64_t kv_heads : {0, 1}) {
        spec::WorkloadSpec spec = small_spec(workload);
        spec.backend = spec::AttentionBackend::own;
        spec.batch = 2;
        spec.seq_len = 20;
        spec.dtype = dtype;
        spec.kv_heads = kv_heads;
        SCOPED_TRACE(testing::PrintToString(spec));
        expect_as_the_real_run(spec);
      }
    }
  }
}

// One change each from the model of GPT-2 in a full step.
struct Mode {
  const char* name;
  std::vector<std::pair<const char*, const char*>> settings;
};

std::vector<spec::WorkloadSpec> every_mode() {
  const std::array<Mode, 32> modes = {
      {{"plain", {}},
       {"bf16", {{"dtype", "bf16"}}},
       {"tiled", {{"backend", "tiled"}}},
       {"own", {{"backend", "own"}}},
       {"own_kernels", {{"kernels", "own"}}},
       {"own_bf16", {{"kernels", "own"}, {"dtype", "bf16"}}},
       {"checkpointing", {{"checkpoint", "blocks"}}},
       {"selective", {{"checkpoint", "attention"}}},
       {"loop", {{"optimizer", "adamw_loop"}}},
       {"foreach", {{"optimizer", "adamw_foreach"}, {"clip", "1"}}},
       {"accumulation", {{"accumulate", "2"}}},
       {"sgd", {{"optimizer", "sgd"}, {"momentum", "0.9"}}},
       {"lora", {{"lora_rank", "5"}, {"lora_on", "all"}}},
       {"lora_bf16", {{"lora_rank", "5"}, {"lora_on", "all"}, {"dtype", "bf16"}}},
       {"masks", {{"window", "9"}, {"packed", "20"}, {"padding", "30"}}},
       {"masks_math", {{"window", "9"}, {"padding", "30"}, {"backend", "math"}}},
       {"masks_flash", {{"packed", "20"}, {"padding", "30"}, {"backend", "flash"}}},
       {"masks_tiled", {{"window", "9"}, {"padding", "30"}, {"backend", "tiled"}}},
       {"dropout_math", {{"attn_dropout", "0.1"}, {"backend", "math"}}},
       {"experts", {{"ffn", "swiglu"}, {"experts", "4"}}},
       {"experts_dropped", {{"ffn", "swiglu"}, {"experts", "4"}, {"capacity", "0.5"}}},
       {"experts_shared",
        {{"ffn", "swiglu"}, {"experts", "4"}, {"shared_ff", "24"}, {"shared_gate", "true"}}},
       {"experts_dense",
        {{"ffn", "swiglu"}, {"experts", "4"}, {"expert_ff", "20"}, {"dense_layers", "1"}}},
       {"own_heads", {{"head_width", "20"}, {"qk_norm", "true"}, {"positions", "rope"}}},
       {"latent", {{"kv_rank", "20"}, {"positions", "rope"}, {"v_width", "12"}}},
       {"latent_math", {{"kv_rank", "20"}, {"q_rank", "28"}, {"backend", "math"}}},
       {"gemma2",
        {{"window", "9"},
         {"full_every", "2"},
         {"post_norm", "true"},
         {"softcap", "2"},
         {"logit_softcap", "2"}}},
       {"phi", {{"block_form", "shared_norm"}, {"head_bias", "true"}, {"tied", "false"}}},
       {"gpt_neox", {{"block_form", "parallel"}, {"positions", "rope"}, {"rope_width", "4"}}},
       {"dropout", {{"attn_dropout", "0.1"}, {"dropout", "0.1"}}},
       {"dropout_checkpointing",
        {{"attn_dropout", "0.1"}, {"dropout", "0.1"}, {"checkpoint", "blocks"}}},
       {"lora_checkpointing", {{"lora_rank", "5"}, {"lora_on", "all"}, {"checkpoint", "blocks"}}}}};
  std::vector<spec::WorkloadSpec> specs;
  for (const Mode& mode : modes) {
    spec::WorkloadSpec spec = small_gpt2(spec::Pass::full_step);
    for (const auto& [key, value] : mode.settings) {
      if (!spec::set_field(spec, key, value)) std::abort();
    }
    specs.push_back(spec);
  }
  return specs;
}

// Autocast, grouped queries and cross attention.
std::vector<spec::WorkloadSpec> every_cast() {
  const std::array<Mode, 12> modes = {{{"bf16", {}},
                                       {"own_kernels", {{"kernels", "own"}}},
                                       {"fp16", {{"autocast", "fp16"}, {"grad_scaler", "true"}}},
                                       {"math", {{"backend", "math"}}},
                                       {"flash", {{"backend", "flash"}}},
                                       {"tiled", {{"backend", "tiled"}, {"tile_q", "32"}}},
                                       {"own", {{"backend", "own"}}},
                                       {"checkpointing", {{"checkpoint", "blocks"}}},
                                       {"accumulation", {{"accumulate", "2"}}},
                                       {"grouped", {{"kv_heads", "1"}, {"backend", "math"}}},
                                       {"grouped_flash", {{"kv_heads", "1"}, {"backend", "flash"}}},
                                       {"lora", {{"lora_rank", "5"}, {"lora_on", "all"}}}}};
  std::vector<spec::WorkloadSpec> specs;
  for (const auto workload : {WorkloadKind::attention, WorkloadKind::mlp, WorkloadKind::lm,
                              WorkloadKind::toy, WorkloadKind::vit, WorkloadKind::vlm}) {
    for (const auto pass : {Pass::forward, Pass::full_step}) {
      for (const Mode& mode : modes) {
        spec::WorkloadSpec spec = small_spec(workload, pass);
        spec.autocast = spec::Autocast::bf16;
        bool applies = spec::validate(spec).empty();
        for (const auto& [key, value] : mode.settings) {
          applies = applies && spec::field_applies(spec, *spec::field_from_name(key));
          if (!spec::set_field(spec, key, value)) std::abort();
        }
        if (applies && spec::validate(spec).empty()) specs.push_back(spec);
      }
    }
  }
  return specs;
}

// Adapters of the language model of vlm, beside parts that are all frozen.
std::vector<spec::WorkloadSpec> every_adapted_vlm() {
  const std::array<Mode, 10> modes = {
      {{"qv", {}},
       {"qkvo", {{"lora_on", "qkvo"}, {"kv_heads", "1"}}},
       {"all", {{"lora_on", "all"}, {"backend", "auto"}}},
       {"bf16", {{"lora_on", "all"}, {"dtype", "bf16"}}},
       {"checkpointing", {{"lora_on", "all"}, {"checkpoint", "blocks"}}},
       {"selective", {{"checkpoint", "attention"}, {"pool", "resampler"}}},
       {"own_kernels", {{"kernels", "own"}, {"backend", "own"}}},
       {"foreach", {{"optimizer", "adamw_foreach"}, {"clip", "1"}, {"images", "3"}}},
       {"accumulation", {{"accumulate", "2"}, {"pool", "mean"}}},
       {"fused", {{"fused_qkv", "true"}, {"lora_on", "qkvo"}, {"ffn", "gelu"}}}}};
  std::vector<spec::WorkloadSpec> specs;
  for (const Mode& mode : modes) {
    spec::WorkloadSpec spec = small_spec(WorkloadKind::vlm, Pass::full_step);
    spec.lora_rank = 5;
    for (const auto& [key, value] : mode.settings) {
      if (!spec::set_field(spec, key, value)) std::abort();
    }
    specs.push_back(spec);
  }
  specs.push_back(small_spec(WorkloadKind::vlm, Pass::forward));
  specs.back().lora_rank = 5;
  specs.push_back(specs.back());
  specs.back().lora_merged = true;
  return specs;
}

INSTANTIATE_TEST_SUITE_P(AdaptedVlm, DryRunOf, testing::ValuesIn(every_adapted_vlm()));
INSTANTIATE_TEST_SUITE_P(Casts, DryRunOf, testing::ValuesIn(every_cast()));
INSTANTIATE_TEST_SUITE_P(Gpt2, DryRunOf, testing::ValuesIn(every_mode()));

// The event of the largest block tells: with our kernels none is as large as all logits.
TEST(OwnCrossEntropy, PredictsNoWholeLogits) {
  const auto largest_block = [](spec::Kernels kernels) {
    spec::WorkloadSpec spec;
    spec::apply_preset(*spec::find_preset(WorkloadKind::cross_entropy, "2.7B"), spec);
    spec.vocab = 50000;
    spec.kernels = kernels;
    base::StringTable strings;
    predict::DryRunOptions options;
    options.rules = spec::DeviceKind::cpu;
    const auto dry = dry_runner().dry_run(spec, options, strings, {});
    EXPECT_TRUE(dry);
    std::int64_t largest = 0;
    const std::int64_t weight = 4 * spec.vocab * spec.d_model;  // which is larger
    for (const memory::Block& block : dry->log.blocks()) {
      if (block.size != weight) largest = std::max(largest, block.size);
    }
    return largest;
  };
  constexpr std::int64_t kLogits = std::int64_t{4} * 2048 * 50000;
  EXPECT_EQ(largest_block(spec::Kernels::torch), kLogits);
  EXPECT_EQ(largest_block(spec::Kernels::own), kLogits / 8);
}

// No T x T tensor, and no memory of tiles that grows faster than T.
TEST(OwnAttention, NeedsMemoryAsTheLength) {
  const auto peak_of = [](std::int64_t length) {
    spec::WorkloadSpec spec;
    spec.backend = spec::AttentionBackend::own;
    spec.batch = 1;
    spec.seq_len = length;
    base::StringTable strings;
    predict::DryRunOptions options;
    options.rules = spec::DeviceKind::cpu;
    const auto dry = dry_runner().dry_run(spec, options, strings, {});
    EXPECT_TRUE(dry);
    return dry->log.peak_bytes();
  };
  const auto once = static_cast<double>(peak_of(8192));
  EXPECT_LT(static_cast<double>(peak_of(16384)), 2 * once);
}

}  // namespace
}  // namespace ts::kernels
