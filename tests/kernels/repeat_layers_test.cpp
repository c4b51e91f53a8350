// A model of many layers dry-run by a few of them, against all of them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/spec/own_model.h"
#include "core/spec/spec_fields.h"
#include "core/spec/workload_math.h"
#include "kernels/dry_run/repeat_layers.h"
#include "kernels/engine/dry_runner.h"
#include "tests/exported/pt2_bytes.h"
#include "tests/kernels/dry_run_compare.h"

namespace ts::kernels {
namespace {

using spec::AttentionBackend, spec::DeviceKind, spec::WorkloadKind;

void expect_equal(const predict::DryRun& some, const predict::DryRun& all,
                  const base::StringTable& strings) {
  EXPECT_EQ(some.parameters, all.parameters);
  const auto predicted = seen_events(some.log, strings);
  const auto expected = seen_events(all.log, strings);
  ASSERT_EQ(first_difference(predicted, expected), "");
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    ASSERT_EQ(predicted[i].text(), expected[i].text()) << i;
  }
  EXPECT_EQ(some.log.peak_bytes(), all.log.peak_bytes());
}

struct RepeatedOf : testing::TestWithParam<spec::WorkloadSpec> {};

TEST_P(RepeatedOf, EqualsTheWholeRunEventByEvent) {
  TorchDryRunner whole(/*repeat=*/false), repeated;
  spec::WorkloadSpec spec = GetParam();
  for (const auto backend :
       {AttentionBackend::naive, AttentionBackend::math, AttentionBackend::automatic}) {
    for (const DeviceKind rules : {DeviceKind::cpu, DeviceKind::cuda}) {
      for (const std::int64_t layers : {7, 12}) {
        spec.backend = backend;
        spec.layers = layers;
        predict::DryRunOptions options;
        options.rules = rules;
        base::StringTable strings;
        const auto all = whole.dry_run(spec, options, strings, {});
        const auto some = repeated.dry_run(spec, options, strings, {});
        ASSERT_TRUE(all) << all.error().sentence;
        ASSERT_TRUE(some) << some.error().sentence;
        ASSERT_NO_FATAL_FAILURE(expect_equal(*some, *all, strings));
        EXPECT_EQ(some->backend, all->backend);
        EXPECT_EQ(
            some->log.unmatched_frees() + some->log.missed_frees() + some->log.unmatched_owners(),
            0U);
      }
    }
  }
}

std::vector<spec::WorkloadSpec> language_models() {
  std::vector<spec::WorkloadSpec> specs;
  for (const spec::WorkloadSpec& spec : every_small_spec()) {
    if (spec.workload != WorkloadKind::lm) continue;
    specs.push_back(spec);
    if (spec.pass != spec::Pass::full_step) continue;
    specs.push_back(spec);
    specs.back().optimizer = spec::OptimizerKind::adamw_loop;
    specs.push_back(spec);
    specs.back().optimizer = spec::OptimizerKind::adamw_foreach;
    specs.push_back(spec);
    specs.back().clip = 1;
    specs.push_back(specs.back());
    specs.back().optimizer = spec::OptimizerKind::adamw_foreach;
    specs.push_back(spec);
    specs.back().optimizer = spec::OptimizerKind::sgd;
    specs.back().momentum = 0.9;
    specs.back().optimizer_state = spec::OptimizerState::fp32_master;
    for (const auto checkpoint : {spec::Checkpoint::blocks, spec::Checkpoint::attention}) {
      specs.push_back(spec);
      specs.back().checkpoint = checkpoint;
    }
    specs.push_back(spec);
    specs.back().batch = 2;
    specs.back().accumulate = 5;
    specs.push_back(specs.back());
    specs.back().checkpoint = spec::Checkpoint::blocks;
  }
  return specs;
}

std::string repeated_name(const testing::TestParamInfo<spec::WorkloadSpec>& info) {
  return spec_name(info) + "_" + spec::field_text(info.param, spec::Field::optimizer) + "_" +
         spec::field_text(info.param, spec::Field::checkpoint) + "_" +
         spec::field_text(info.param, spec::Field::accumulate) + "_" +
         spec::field_text(info.param, spec::Field::clip);
}

INSTANTIATE_TEST_SUITE_P(All, RepeatedOf, testing::ValuesIn(language_models()), repeated_name);

// An exported program is shortened by its graph, the rest is derived from its records.
TEST(RepeatLayers, OfAnExportedModelEqualTheWholeRunEventByEvent) {
  const auto path = std::filesystem::temp_directory_path() / "tensorscope_layers.pt2";
  std::ofstream(path, std::ios::binary) << exported::testing::layers_pt2(9);
  TorchDryRunner whole(/*repeat=*/false), repeated;
  spec::WorkloadSpec spec;
  ASSERT_TRUE(spec::choose_model(path.string(), spec));
  for (const spec::Pass pass :
       {spec::Pass::forward, spec::Pass::forward_backward, spec::Pass::full_step}) {
    for (const auto optimizer : {spec::OptimizerKind::adamw_fused, spec::OptimizerKind::adamw_loop,
                                 spec::OptimizerKind::sgd}) {
      for (const spec::DataType dtype : {spec::DataType::fp32, spec::DataType::bf16}) {
        spec.pass = pass;
        spec.optimizer = optimizer;
        spec.dtype = dtype;
        base::StringTable strings;
        const auto all = whole.dry_run(spec, {}, strings, {});
        const auto some = repeated.dry_run(spec, {}, strings, {});
        ASSERT_TRUE(all) << all.error().sentence;
        ASSERT_TRUE(some) << some.error().sentence;
        EXPECT_TRUE(repeated.repeated());
        ASSERT_NO_FATAL_FAILURE(expect_equal(*some, *all, strings));
      }
    }
  }
  std::filesystem::remove(path);
}

// If it fell back to the whole run the equality above would say nothing.
TEST(RepeatLayers, TheModelsOfTheEngineRepeat) {
  TorchDryRunner runner;
  for (spec::WorkloadSpec spec : language_models()) {
    for (const auto& [layers, repeats] :
         {std::pair{60, true}, std::pair{7, true}, std::pair{5, false}}) {
      spec.layers = layers;
      base::StringTable strings;
      ASSERT_TRUE(runner.dry_run(spec, {}, strings, {}));
      EXPECT_EQ(runner.repeated(), repeats) << repeated_name({spec, 0}) << ", " << layers;
    }
  }
}

// Dry runs of these are compared with real ones event by event; here it is seen that their second
// step was made from the first.
TEST(RepeatStep, StepsAreRepeatedUnlessGradientsStay) {
  TorchDryRunner runner;
  for (spec::WorkloadSpec spec : every_small_spec()) {
    base::StringTable strings;
    ASSERT_TRUE(runner.dry_run(spec, {}, strings, {}));
    EXPECT_TRUE(runner.repeated_steps());
    if (spec.pass == spec::Pass::forward) continue;
    spec.zero_grad = spec::ZeroGrad::zero;
    ASSERT_TRUE(runner.dry_run(spec, {}, strings, {}));
    const bool applies = spec::field_applies(spec, spec::Field::zero_grad);
    EXPECT_FALSE(applies && runner.repeated_steps());
  }
}

TEST(RepeatLayers, RefusesWhatDoesNotRepeat) {
  base::StringTable strings;
  std::vector<memory::Record> records;
  for (int layer = 0; layer < kSampleLayers; ++layer) {
    memory::Record record;
    record.address = static_cast<std::uint64_t>(layer) + 1;
    record.size = layer == 2 ? 9 : 8;  // one of the inner ones is larger
    record.module = strings.intern("blocks." + std::to_string(layer) + ".attn");
    record.phase = base::Phase::forward;
    records.push_back(record);
  }
  std::vector<memory::Record> all;
  EXPECT_FALSE(repeat_layers(records, "blocks.", 20, strings, all));
  records[2].size = 8;
  EXPECT_TRUE(repeat_layers(records, "blocks.", 20, strings, all));
  EXPECT_EQ(all.size(), 20U);
  // No sample: it has a layer too many.
  records.push_back(records.back());
  records.back().address = 100;
  records.back().module = strings.intern("blocks.4.attn");
  EXPECT_FALSE(repeat_layers(records, "blocks.", 20, strings, all));
}

}  // namespace
}  // namespace ts::kernels
