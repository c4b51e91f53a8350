#include "core/run/workload_math.h"

#include <gtest/gtest.h>

#include <string>

#include "core/run/presets.h"

namespace ts::run {
namespace {

WorkloadSpec preset_spec(WorkloadKind kind, const char* id) {
  WorkloadSpec spec;
  const Preset* preset = find_preset(kind, id);
  EXPECT_NE(preset, nullptr) << id;
  if (preset != nullptr) apply_preset(*preset, spec);
  return spec;
}

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

TEST(WorkloadMath, fused_backends_count_as_flash) {
  EXPECT_EQ(backend_for_formulas("flash"), AttentionBackend::flash);
  EXPECT_EQ(backend_for_formulas("mem-efficient"), AttentionBackend::flash);
  EXPECT_EQ(backend_for_formulas("cuDNN"), AttentionBackend::flash);
  EXPECT_EQ(backend_for_formulas("math"), AttentionBackend::math);
  EXPECT_EQ(backend_for_formulas("naive"), AttentionBackend::naive);
  EXPECT_EQ(backend_for_formulas(""), AttentionBackend::automatic);
}

}  // namespace
}  // namespace ts::run
