#include "core/report/efficiency.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/spec/presets.h"
#include "tests/spec/preset_spec.h"

namespace ts::report {
namespace {

// A run with ten timed steps of that many seconds.
run::Run timed_run(const spec::WorkloadSpec& spec, double seconds) {
  run::StartedUpdate started;
  started.id = 1;
  started.spec = spec;
  run::Run run(started);
  for (int i = 0; i < 10; ++i) {
    run::SampleUpdate sample;
    sample.id = 1;
    sample.times.total_ns = static_cast<std::int64_t>(seconds * 1e9);
    run.apply(sample);
  }
  return run;
}

TEST(ModelFlops, nanogpt_counts_as_its_source_does) {
  spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::lm, "gpt2");
  spec.bias = false;
  // estimate_mfu of GPT-2 124M without biases: 854,770,176 a token.
  const auto flops = model_flops(spec);
  ASSERT_EQ(flops.size(), 2U);
  EXPECT_DOUBLE_EQ(flops[0].per_token, 854'770'176.0);
  EXPECT_DOUBLE_EQ(flops[0].per_step, 854'770'176.0 * 12 * 1024);
}

TEST(ModelFlops, three_forwards_of_the_course) {
  // A2-LM: 0.422 TFLOP forward, 1.267 a training step.
  const auto flops = model_flops(spec::preset_spec(spec::WorkloadKind::lm, "a2-lm"));
  EXPECT_NEAR(flops[1].per_step, 1.267e12, 0.001e12);
}

TEST(ModelFlops, what_is_computed_again_does_not_count) {
  spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::lm, "small");
  const auto plain = model_flops(spec);
  spec.checkpoint = spec::Checkpoint::blocks;
  spec.backend = spec::AttentionBackend::flash;
  const auto again = model_flops(spec);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_DOUBLE_EQ(plain[i].per_step, again[i].per_step);
  }
}

TEST(ModelFlops, the_formula_has_the_terms_that_are_counted) {
  spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::lm, "small");
  spec.ffn = spec::FeedForward::swiglu;
  EXPECT_EQ(model_flops(spec)[1].formula, "3 x (2 B T [L (4 d^2 + 3 d ff) + V d] + 4 L B T^2 d)");
  // The terms in the text add up to the counted sum.
  for (const spec::FeedForward ffn : {spec::FeedForward::swiglu, spec::FeedForward::gelu}) {
    for (const std::int64_t kv_heads : {std::int64_t{0}, std::int64_t{1}}) {
      spec.ffn = ffn;
      spec.kv_heads = kv_heads;
      const ModelFlops flops = model_flops(spec)[1];
      const bool gelu = flops.formula.find("+ 2 d ff)") != std::string::npos;
      const bool grouped = flops.formula.find("2 d^2 + 2 d d_kv") != std::string::npos;
      EXPECT_EQ(gelu, ffn == spec::FeedForward::gelu) << flops.formula;
      EXPECT_EQ(grouped, kv_heads == 1) << flops.formula;
      const auto number = [](std::int64_t value) { return static_cast<double>(value); };
      const double d = number(spec.d_model), ff = number(spec.d_ff),
                   tokens = number(spec.batch) * number(spec.seq_len);
      const double d_kv = grouped ? d / number(spec.heads) : d;
      const double layer = 2 * d * d + 2 * d * d_kv + (gelu ? 2 : 3) * d * ff;
      const double layers = number(spec.layers);
      EXPECT_DOUBLE_EQ(flops.per_step, 3 * (2 * tokens * (layers * layer + number(spec.vocab) * d) +
                                            4 * layers * tokens * number(spec.seq_len) * d));
    }
  }
}

TEST(ModelFlops, a_forward_alone_has_no_formula) {
  spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::lm, "small");
  spec.pass = spec::Pass::forward;
  EXPECT_TRUE(model_flops(spec).empty());
}

TEST(Utilisation, against_every_peak_that_is_known) {
  spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::lm, "gpt2");
  spec.bias = false;
  spec.dtype = spec::DataType::bf16;
  spec.device = spec::DeviceKind::cuda;
  auto run = timed_run(spec, 0.1);
  EXPECT_EQ(utilisations(run).size(), 2U) << "nanoGPT's constant needs no knowledge";
  run.roof = run::Roof{spec::DataType::bf16, 8192, 250};
  spec::Gpu card;
  card.name = "X";
  card.bf16_tflops = 500;
  run.card = card;
  const auto all = utilisations(run);
  ASSERT_EQ(all.size(), 6U);
  const double rate = 854'770'176.0 * 12 * 1024 / 0.1 * 1e-12;
  EXPECT_NEAR(all[0].share, rate / 250, 1e-9);
  EXPECT_NEAR(all[1].share, rate / 500, 1e-9);
  EXPECT_NEAR(all[2].share, rate / 312, 1e-9);
  EXPECT_EQ(all[0].peak.source.sentence, "8,192 x 8,192 product in bf16, measured");
  const auto json = utilisations_json(run);
  EXPECT_EQ(json.at(2).at("peak_tflops"), 312);
}

TEST(Utilisation, a_cpu_has_only_what_was_measured) {
  auto run = timed_run(spec::preset_spec(spec::WorkloadKind::mlp, "w7"), 0.1);
  EXPECT_TRUE(utilisations(run).empty());
  run.roof = run::Roof{spec::DataType::fp32, 2048, 0.1};
  ASSERT_EQ(utilisations(run).size(), 1U);
  // 2 products of 512 x 1024 for 32 rows, three times, in 0.1 s.
  EXPECT_NEAR(utilisations(run)[0].share, 3 * 2 * 2 * 32.0 * 512 * 1024 / 0.1 * 1e-12 / 0.1, 1e-9);
}

// A share that cannot be says which number is not what it seems.
TEST(Utilisation, over_one_has_its_reason) {
  spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::mlp, "w7");
  auto run = timed_run(spec, 0.1);
  const double reached = *run.tflops_per_s();
  const auto key_of = [&run](std::size_t i) { return utilisations(run).at(i).over.key; };
  run.roof = run::Roof{spec::DataType::fp32, 2048, reached * 1.01};
  EXPECT_EQ(key_of(0), "");
  EXPECT_TRUE(utilisations_json(run).at(0).at("over_one").is_null());
  run.roof->tflops = reached / 1.5;
  EXPECT_EQ(key_of(0), "mfu.over.measured");
  EXPECT_NE(utilisations(run)[0].over.sentence.find("busy machine"), std::string::npos);
  EXPECT_TRUE(utilisations_json(run).at(0).at("over_one").is_string());
  // Full attention is counted where flash leaves out what a causal mask hides.
  spec::WorkloadSpec causal;
  causal.workload = spec::WorkloadKind::attention;
  causal.causal = true;
  causal.seq_len = 4096;
  run = timed_run(causal, 0.1);
  run.apply(run::FactsUpdate{1, {0, 0, "flash", 0}});
  run.roof = run::Roof{spec::DataType::fp32, 2048, *run.tflops_per_s() * 1.1};
  EXPECT_GT(utilisations(run)[0].share, 1);
  EXPECT_EQ(key_of(0), "mfu.over.formula");
  run = timed_run(spec, 1e-9);
  run.spec.device = spec::DeviceKind::cuda;
  spec::Gpu card;
  card.name = "X";
  card.fp32_tflops = 1e-6;
  run.card = card;
  EXPECT_EQ(key_of(0), "mfu.over.card");
  EXPECT_EQ(key_of(1), "mfu.over.nanogpt");
}

}  // namespace
}  // namespace ts::report
