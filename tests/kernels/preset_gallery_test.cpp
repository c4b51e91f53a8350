// Every preset once, small: on the CPU, and as a prediction of that run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/spec/presets.h"
#include "core/spec/workload_math.h"
#include "tests/kernels/dry_run_compare.h"

namespace ts::kernels {
namespace {

// The preset's form at a size for a blink: what it switches on stays, its sizes shrink.
spec::WorkloadSpec small_preset(const spec::Preset& preset) {
  spec::WorkloadSpec spec;
  spec::apply_preset(preset, spec);
  const auto shrink = [](std::int64_t& size, std::int64_t most) { size = std::min(size, most); };
  const bool grouped = spec.kv_heads > 0;
  spec.batch = std::min<std::int64_t>(spec.batch, 2);
  shrink(spec.seq_len, 40);
  shrink(spec.seq_len_kv, 48);
  shrink(spec.heads, 4);
  if (grouped) spec.kv_heads = 2;
  shrink(spec.d_head, 16);
  spec.d_model = 16 * spec.heads;
  shrink(spec.layers, 3);
  shrink(spec.d_ff, 96);
  shrink(spec.vocab, 131);
  shrink(spec.tile_q, 16);
  shrink(spec.tile_k, 16);
  spec.image = 2 * spec.patch + 3;
  shrink(spec.encoder_heads, 2);
  spec.encoder_width = 16 * spec.encoder_heads;
  shrink(spec.encoder_layers, 2);
  shrink(spec.encoder_ff, 80);
  return spec;
}

struct PresetGallery : testing::TestWithParam<spec::Preset> {};

TEST_P(PresetGallery, RunsOnTheCpuAndIsPredicted) {
  const spec::WorkloadSpec spec = small_preset(GetParam());
  const auto problems = spec::validate(spec);
  ASSERT_TRUE(problems.empty()) << problems.front().sentence;
  auto prepared = engine().prepare_execution(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(prepared) << prepared.error().sentence;
  for (int step = 0; step < 2; ++step) {
    const auto times = (*prepared)->step(nullptr, step);
    ASSERT_TRUE(times) << times.error().sentence;
    EXPECT_TRUE(std::isfinite(times->loss));
    EXPECT_GT(times->total_ns, 0);
  }
  const std::int64_t peak = (*prepared)->memory().peak;
  const std::int64_t parameters = (*prepared)->facts().parameters;
  prepared->reset();

  base::StringTable strings;
  predict::DryRunOptions options;
  options.rules = spec::DeviceKind::cpu;
  const auto dry = dry_runner().dry_run(spec, options, strings, {});
  ASSERT_TRUE(dry) << dry.error().sentence;
  EXPECT_EQ(dry->parameters, parameters);
  // Flash on the CPU: threads' own blocks, of which not all need live at once.
  EXPECT_GE(dry->log.peak_bytes(), peak);
  EXPECT_LE(dry->log.peak_bytes(), peak + dry->apart_bytes);
}

std::string preset_name(const testing::TestParamInfo<spec::Preset>& info) {
  std::string name = std::string(to_string(info.param.workload)) + "_" + info.param.id;
  std::replace_if(
      name.begin(), name.end(),
      [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Presets, PresetGallery,
                         testing::ValuesIn(spec::presets().begin(), spec::presets().end()),
                         preset_name);

// Prefill and decode with their cache, as tensors without data.
spec::WorkloadSpec generation(bool kv_cache, bool latent) {
  spec::WorkloadSpec spec = small_spec(spec::WorkloadKind::lm, spec::Pass::generate);
  spec.seq_len = 20;
  spec.new_tokens = 5;
  spec.kv_cache = kv_cache;
  spec.top_k = 7;
  if (latent) {
    spec.backend = spec::AttentionBackend::math;
    spec.kv_rank = 20;
    spec.rope_width = 6;
  }
  return spec;
}

std::vector<SeenEvent> predicted_events(const spec::WorkloadSpec& spec) {
  base::StringTable strings;
  predict::DryRunOptions options;
  options.rules = spec::DeviceKind::cpu;
  const auto dry = dry_runner().dry_run(spec, options, strings, {});
  EXPECT_TRUE(dry) << dry.error().sentence;
  return dry ? seen_events(dry->log, strings) : std::vector<SeenEvent>();
}

TEST(PredictedGeneration, EqualsTheRealRunEventByEvent) {
  for (const bool latent : {false, true}) {
    for (const bool kv_cache : {true, false}) {
      for (const double temperature : {0.0, 1.0}) {
        spec::WorkloadSpec spec = generation(kv_cache, latent);
        spec.temperature = temperature;
        RealRun real;
        run_for_real(spec, 2, real);
        ASSERT_FALSE(testing::Test::HasFatalFailure());
        EXPECT_EQ(first_difference(predicted_events(spec),
                                   seen_events(real.recorded.memory, real.recorded.strings)),
                  "");
      }
    }
  }
}

// Blocks with a window keep no more than it, before, in and behind the prompt.
TEST(PredictedGeneration, OfWindowsEqualsTheRealRunEventByEvent) {
  for (const auto backend : {spec::AttentionBackend::naive, spec::AttentionBackend::flash}) {
    for (const std::int64_t window : {7, 22}) {
      spec::WorkloadSpec spec = generation(true, false);
      spec.backend = backend;
      spec.layers = 3;
      spec.window = window;
      spec.full_every = 2;
      RealRun real;
      run_for_real(spec, 2, real);
      ASSERT_FALSE(testing::Test::HasFatalFailure());
      const std::vector<SeenEvent> predicted = predicted_events(spec);
      EXPECT_EQ(
          first_difference(predicted, seen_events(real.recorded.memory, real.recorded.strings)),
          "");
      // Two tensors a layer, two layers with a window and one without.
      const auto tensors = [&](std::int64_t length) {
        const std::int64_t bytes =
            4 * spec.batch * spec::kv_head_count(spec) * length * spec::head_size(spec);
        return std::ranges::count_if(predicted, [bytes](const SeenEvent& event) {
          return event.alloc && event.size == bytes && event.phase == base::Phase::setup &&
                 event.category == memory::Category::input;
        });
      };
      EXPECT_EQ(tensors(window), 4);
      EXPECT_EQ(tensors(25), 2);
    }
  }
}

// One tensor a layer: kv_rank + rope_width numbers of each token.
TEST(PredictedGeneration, HasTheLatentCacheOfTheFormula) {
  const auto caches = [](bool kv_cache) {
    const spec::WorkloadSpec spec = generation(kv_cache, true);
    const std::int64_t bytes = spec.batch * 25 * (20 + 6) * 4;
    EXPECT_EQ(spec::cached_numbers(spec), 20 + 6);
    return std::ranges::count_if(predicted_events(spec), [bytes](const SeenEvent& event) {
      return event.alloc && event.size == bytes && event.phase == base::Phase::setup;
    });
  };
  EXPECT_EQ(caches(true), generation(true, true).layers);
  EXPECT_EQ(caches(false), 0);
}

}  // namespace
}  // namespace ts::kernels
