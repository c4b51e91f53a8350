#include "core/run/efficiency.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/run/presets.h"
#include "tests/run/preset_spec.h"

namespace ts::run {
namespace {

// A run with ten timed steps of that many seconds.
Run timed_run(const WorkloadSpec& spec, double seconds) {
  StartedUpdate started;
  started.id = 1;
  started.spec = spec;
  Run run(started);
  for (int i = 0; i < 10; ++i) {
    SampleUpdate sample;
    sample.id = 1;
    sample.times.total_ns = static_cast<std::int64_t>(seconds * 1e9);
    run.apply(sample);
  }
  return run;
}

TEST(ModelFlops, nanogpt_counts_as_its_source_does) {
  WorkloadSpec spec = preset_spec(WorkloadKind::lm, "gpt2");
  spec.bias = false;
  // estimate_mfu of GPT-2 124M without biases: 854,770,176 a token.
  const auto flops = model_flops(spec);
  ASSERT_EQ(flops.size(), 2U);
  EXPECT_DOUBLE_EQ(flops[0].per_token, 854'770'176.0);
  EXPECT_DOUBLE_EQ(flops[0].per_step, 854'770'176.0 * 12 * 1024);
}

TEST(ModelFlops, three_forwards_of_the_course) {
  // A2-LM: 0.422 TFLOP forward, 1.267 a training step.
  const auto flops = model_flops(preset_spec(WorkloadKind::lm, "a2-lm"));
  EXPECT_NEAR(flops[1].per_step, 1.267e12, 0.001e12);
}

TEST(ModelFlops, what_is_computed_again_does_not_count) {
  WorkloadSpec spec = preset_spec(WorkloadKind::lm, "small");
  const auto plain = model_flops(spec);
  spec.checkpoint = Checkpoint::blocks;
  spec.backend = AttentionBackend::flash;
  const auto again = model_flops(spec);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_DOUBLE_EQ(plain[i].per_step, again[i].per_step);
  }
}

TEST(ModelFlops, a_forward_alone_has_no_formula) {
  WorkloadSpec spec = preset_spec(WorkloadKind::lm, "small");
  spec.pass = Pass::forward;
  EXPECT_TRUE(model_flops(spec).empty());
}

TEST(Utilisation, against_every_peak_that_is_known) {
  WorkloadSpec spec = preset_spec(WorkloadKind::lm, "gpt2");
  spec.bias = false;
  spec.dtype = DataType::bf16;
  spec.device = DeviceKind::cuda;
  auto run = timed_run(spec, 0.1);
  EXPECT_EQ(utilisations(run).size(), 2U) << "nanoGPT's constant needs no knowledge";
  run.roof = Roof{DataType::bf16, 8192, 250};
  Gpu card;
  card.name = "X";
  card.bf16_tflops = 500;
  run.card = card;
  const auto all = utilisations(run);
  ASSERT_EQ(all.size(), 6U);
  const double rate = 854'770'176.0 * 12 * 1024 / 0.1 * 1e-12;
  EXPECT_NEAR(all[0].share, rate / 250, 1e-9);
  EXPECT_NEAR(all[1].share, rate / 500, 1e-9);
  EXPECT_NEAR(all[2].share, rate / 312, 1e-9);
  EXPECT_EQ(all[0].peak.source, "8,192 x 8,192 product in bf16, measured");
  const auto json = utilisations_json(run);
  EXPECT_EQ(json.at(2).at("peak_tflops"), 312);
}

TEST(Utilisation, a_cpu_has_only_what_was_measured) {
  auto run = timed_run(preset_spec(WorkloadKind::mlp, "w7"), 0.1);
  EXPECT_TRUE(utilisations(run).empty());
  run.roof = Roof{DataType::fp32, 2048, 0.1};
  ASSERT_EQ(utilisations(run).size(), 1U);
  // 2 products of 512 x 1024 for 32 rows, three times, in 0.1 s.
  EXPECT_NEAR(utilisations(run)[0].share, 3 * 2 * 2 * 32.0 * 512 * 1024 / 0.1 * 1e-12 / 0.1, 1e-9);
}

}  // namespace
}  // namespace ts::run
