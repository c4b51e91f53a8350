#include <ATen/autocast_mode.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "core/spec/presets.h"
#include "core/spec/workload_math.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using spec::Autocast;
using spec::WorkloadKind;

std::map<std::string, std::string> types_of(const spec::WorkloadSpec& spec) {
  Recorded recorded;
  auto execution = engine().prepare(spec, kPlenty, &recorded.recorder, {});
  EXPECT_TRUE(execution) << execution.error().sentence;
  EXPECT_TRUE((*execution)->step(&recorded.recorder, 0));
  std::map<std::string, std::string> types;
  for (const run::NamedType& type : (*execution)->facts().types) types[type.name] = type.type;
  return types;
}

// The types of the exercise: parameters, fc1, norm, logits, loss, gradients.
TEST(Autocast, ToyModelLayerByLayer) {
  spec::WorkloadSpec spec;
  spec::apply_preset(*spec::find_preset(WorkloadKind::toy, "toy"), spec);
  for (const auto& [autocast, name] :
       {std::pair{Autocast::fp16, "fp16"}, {Autocast::bf16, "bf16"}}) {
    spec.autocast = autocast;
    const auto types = types_of(spec);
    EXPECT_EQ(types.at("parameters"), "fp32");
    EXPECT_EQ(types.at("fc1"), name);
    EXPECT_TRUE(types.contains("norm"));  // differs between devices: read, not assumed
    EXPECT_EQ(types.at("fc2"), name);
    EXPECT_EQ(types.at("loss"), "fp32");
    EXPECT_EQ(types.at("gradients"), "fp32");
  }
  spec.autocast = Autocast::off;
  for (const auto& [name, type] : types_of(spec)) EXPECT_EQ(type, "fp32") << name;
}

TEST(Autocast, OfAModelListsTheFirstBlockOnly) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm);
  spec.autocast = Autocast::bf16;
  const auto types = types_of(spec);
  EXPECT_EQ(types.at("blocks.0.attn.q_proj"), "bf16");
  EXPECT_EQ(types.at("embedding"), "fp32");
  EXPECT_FALSE(types.contains("blocks.1.attn.q_proj"));
}

TEST(Autocast, IsNearFp32AndLeftOff) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm);
  auto wide = engine().prepare(spec, kPlenty, nullptr, {});
  const double loss = (*wide)->step(nullptr, 0)->loss;
  wide->reset();
  for (const auto autocast : {Autocast::bf16, Autocast::fp16}) {
    spec.autocast = autocast;
    auto execution = engine().prepare(spec, kPlenty, nullptr, {});
    ASSERT_TRUE(execution) << execution.error().sentence;
    const double mixed = (*execution)->step(nullptr, 0)->loss;
    EXPECT_NEAR(mixed, loss, 0.02 * loss);
    EXPECT_NE(mixed, loss);
    EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU));
  }
}

// A forward that keeps its graph holds the activations at its end; one that does not, nothing.
TEST(KeepGraph, DecidesWhatAForwardHolds) {
  for (const bool keep : {false, true}) {
    spec::WorkloadSpec spec = small_spec(WorkloadKind::lm, spec::Pass::forward);
    spec.keep_graph = keep;
    Recorded recorded;
    auto execution = engine().prepare(spec, kPlenty, &recorded.recorder, {});
    ASSERT_TRUE(execution) << execution.error().sentence;
    ASSERT_TRUE((*execution)->step(&recorded.recorder, 0));
    recorded.drain();
    std::int64_t activations = 0;
    for (const memory::Block& block : recorded.memory.blocks()) {
      if (block.category == memory::Category::activation) activations += block.size;
    }
    EXPECT_EQ(activations > 0, keep);
  }
}

// Every preset once, made small: its form stays.
TEST(Gallery, EveryPresetRuns) {
  for (const spec::Preset& preset : spec::presets()) {
    spec::WorkloadSpec spec;
    spec::apply_preset(preset, spec);
    spec.batch = std::min<std::int64_t>(spec.batch, 2);
    spec.seq_len = std::min<std::int64_t>(spec.seq_len, 24);
    spec.seq_len_kv = std::min<std::int64_t>(spec.seq_len_kv, 40);
    spec.d_model = spec.heads * 4;
    spec.d_head = std::min<std::int64_t>(spec.d_head, 8);
    spec.layers = 2;
    spec.d_ff = 48;
    spec.vocab = 61;
    spec.image = 2 * spec.patch + 3;
    spec.encoder_width = spec.encoder_heads * 4;
    spec.encoder_layers = 2;
    spec.encoder_ff = 48;
    SCOPED_TRACE(std::string(to_string(spec.workload)) + " " + preset.id);
    ASSERT_TRUE(spec::validate(spec).empty());
    auto execution = engine().prepare(spec, kPlenty, nullptr, {});
    ASSERT_TRUE(execution) << execution.error().sentence;
    EXPECT_EQ((*execution)->facts().parameters, spec::parameter_count(spec));
    const auto times = (*execution)->step(nullptr, 0);
    ASSERT_TRUE(times) << times.error().sentence;
    EXPECT_TRUE(std::isfinite(times->loss));
  }
}

// labs.md, A2-10: what 1,000 times 0.01 comes to.
TEST(Accumulation, IsThatOfTheExercise) {
  spec::WorkloadSpec spec;
  spec::apply_preset(*spec::find_preset(spec::WorkloadKind::accumulation, "a2-sums"), spec);
  ASSERT_TRUE(spec::validate(spec).empty());
  auto execution = engine().prepare(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  EXPECT_TRUE((*execution)->facts().results.empty()) << "nothing was added yet";
  for (int step = 0; step < 2; ++step) {
    ASSERT_TRUE((*execution)->step(nullptr, step));
    const auto results = (*execution)->facts().results;
    ASSERT_EQ(results.size(), 5U);
    const std::array<std::pair<const char*, double>, 5> expected = {
        {{"fp32 += fp32", 10.0001},
         {"fp16 += fp16", 9.9531},
         {"bf16 += bf16", 4.0},
         {"fp32 += fp16", 10.0021},
         {"fp32 += fp32(fp16)", 10.0021}}};
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(results[i].name, expected[i].first);
      EXPECT_NEAR(results[i].value, expected[i].second, 5e-5) << results[i].name;
      EXPECT_DOUBLE_EQ(results[i].exact, 10);
    }
  }
}

}  // namespace
}  // namespace ts::kernels
