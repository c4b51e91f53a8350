#include <ATen/ops/cat.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/spec/workload_math.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using spec::DataType;
using spec::Pass;
using spec::WorkloadKind;

struct EveryWorkload : testing::TestWithParam<spec::WorkloadSpec> {};

TEST_P(EveryWorkload, RunsItsPassAndCountsItsParameters) {
  const spec::WorkloadSpec& spec = GetParam();
  auto execution = engine().prepare_execution(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  EXPECT_EQ((*execution)->facts().parameters, spec::parameter_count(spec));
  for (int i = 0; i < 2; ++i) {
    const auto times = (*execution)->step(nullptr, i);
    ASSERT_TRUE(times) << times.error().sentence;
    EXPECT_GT(times->forward_ns, 0);
    EXPECT_EQ(times->backward_ns > 0, spec.pass != Pass::forward);
    EXPECT_EQ(times->optimizer_ns > 0, spec.pass == Pass::full_step);
    EXPECT_GE(times->total_ns, times->forward_ns + times->backward_ns + times->optimizer_ns);
    EXPECT_EQ(times->loss != 0, spec.pass != Pass::forward);
    EXPECT_TRUE(std::isfinite(times->loss));
  }
  const at::ScalarType dtype = scalar_type(spec.dtype);
  for (const Parameter& parameter : (*execution)->parameters()) {
    EXPECT_EQ(parameter.tensor.scalar_type(), dtype) << parameter.name;
    EXPECT_EQ(parameter.tensor.grad().defined(), spec.pass != Pass::forward) << parameter.name;
  }
}

TEST_P(EveryWorkload, SameSeedSameLossBitForBit) {
  spec::WorkloadSpec spec = GetParam();
  const auto losses = [&] {
    std::vector<double> out;
    auto execution = engine().prepare(spec, kPlenty, nullptr, {});
    for (int i = 0; i < 3; ++i) out.push_back((*execution)->step(nullptr, i).value().loss);
    return out;
  };
  const std::vector<double> first = losses();
  EXPECT_EQ(first, losses());
  // One step may be less than the last digit of a 16-bit loss.
  if (spec.dtype == DataType::fp32) {
    EXPECT_EQ(first[0] != first[1], spec.pass == Pass::full_step);
  }
  // The mean of what a norm leaves is near 0: in 16 bits it may be the same for two seeds.
  if (spec.dtype != DataType::fp32 && spec.workload == spec::WorkloadKind::norm) return;
  spec.seed = 1;
  EXPECT_EQ(first != losses(), spec.pass != Pass::forward);  // which has no loss
}

INSTANTIATE_TEST_SUITE_P(All, EveryWorkload, testing::ValuesIn(every_small_spec()), spec_name);

// A model that knows nothing gives every token about the same probability.
TEST(LanguageModel, FirstLossIsAboutTheLogarithmOfTheVocabulary) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm);
  spec.vocab = 1000;
  auto execution = engine().prepare(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  const auto times = (*execution)->step(nullptr, 0);
  EXPECT_NEAR(times->loss, std::log(1000.0), 0.7);
}

TEST(LanguageModel, LearnsItsBatch) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm, Pass::full_step);
  auto execution = engine().prepare(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  const double first = (*execution)->step(nullptr, 0)->loss;
  double last = first;
  for (int i = 1; i < 100; ++i) last = (*execution)->step(nullptr, i)->loss;
  EXPECT_LT(last, 0.9 * first);
}

TEST(Parameters, FollowTheirDistribution) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm);
  spec.d_model = 192;
  spec.d_ff = 512;
  auto execution = engine().prepare_execution(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  for (const Parameter& parameter : (*execution)->parameters()) {
    const at::Tensor values = parameter.tensor.detach();
    if (values.dim() == 1) {
      EXPECT_EQ(values.min().item<double>(), 1) << parameter.name;
      continue;
    }
    const bool table = parameter.name == "embedding.weight";
    const double deviation =
        table ? 1 : std::sqrt(2.0 / static_cast<double>(values.size(0) + values.size(1)));
    // Cut at three deviations, a normal has 0.9866 of its deviation left.
    EXPECT_NEAR(values.std().item<double>(), 0.9866 * deviation, 0.02 * deviation)
        << parameter.name;
    EXPECT_LE(values.abs().max().item<double>(), 3 * deviation * 1.000001) << parameter.name;
    EXPECT_GT(values.abs().max().item<double>(), 2.5 * deviation) << parameter.name;
  }
}

// One product or three: the same model, so the same losses but for rounding.
TEST(Parameters, OfFusedProjectionsAreThoseOfThree) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::lm, Pass::full_step);
  spec.kv_heads = 1;
  std::vector<at::Tensor> weights;
  std::vector<double> losses;
  for (const bool fused : {false, true}) {
    spec.fused_qkv = fused;
    auto execution = engine().prepare_execution(spec, kPlenty, nullptr, {});
    ASSERT_TRUE(execution) << execution.error().sentence;
    std::vector<at::Tensor> projections;
    for (const Parameter& parameter : (*execution)->parameters()) {
      const std::string& name = parameter.name;
      if (!name.starts_with("blocks.1.attn.") || name.find("o_proj") != std::string::npos) continue;
      projections.push_back(parameter.tensor.detach().clone());
    }
    EXPECT_EQ(projections.size(), fused ? 1U : 3U);
    weights.push_back(at::cat(projections));
    for (int step = 0; step < 3; ++step) losses.push_back((*execution)->step(nullptr, step)->loss);
  }
  EXPECT_TRUE(weights[0].equal(weights[1]));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(losses[i], losses[i + 3], 1e-4 * losses[i]);
}

TEST(Parameters, OfBf16AreThoseOfFp32Rounded) {
  spec::WorkloadSpec spec = small_spec(WorkloadKind::mlp);
  auto wide = engine().prepare_execution(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(wide) << wide.error().sentence;
  const at::Tensor expected = (*wide)->parameters()[0].tensor.detach().to(at::kBFloat16);
  wide->reset();
  spec.dtype = DataType::bf16;
  auto narrow = engine().prepare_execution(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(narrow) << narrow.error().sentence;
  EXPECT_TRUE((*narrow)->parameters()[0].tensor.detach().equal(expected));
}

}  // namespace
}  // namespace ts::kernels
