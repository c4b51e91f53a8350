#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "tests/kernels/attention_reference.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using run::AttentionBackend;
using run::DataType;

// Largest difference over the largest value of the reference.
double relative_error(const at::Tensor& tensor, const std::vector<double>& reference) {
  const std::vector<double> got = values(tensor);
  EXPECT_EQ(got.size(), reference.size());
  double largest = 0;
  double difference = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    largest = std::max(largest, std::abs(reference[i]));
    difference = std::max(difference, std::abs(got[i] - reference[i]));
  }
  return difference / largest;
}

struct AttentionAgainstReference
    : testing::TestWithParam<std::tuple<AttentionBackend, DataType, bool>> {};

TEST_P(AttentionAgainstReference, ValuesAndGradients) {
  run::WorkloadSpec spec = small_attention();
  std::tie(spec.backend, spec.dtype, spec.causal) = GetParam();
  const bool wide = spec.dtype == DataType::fp32;
  auto execution = engine().prepare_execution(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(execution) << execution.error().sentence;
  const at::Tensor q = (*execution)->inputs()[0];
  const at::Tensor k = (*execution)->inputs()[1];
  const at::Tensor v = (*execution)->inputs()[2];
  const AttentionReference reference = reference_attention(q, k, v, spec.causal);

  const at::Tensor output = (*execution)->workload().forward();
  EXPECT_LT(relative_error(output, reference.output), wide ? 5e-6 : 2e-2);
  const auto times = (*execution)->step(nullptr, 0);
  ASSERT_TRUE(times) << times.error().sentence;
  EXPECT_NEAR(times->loss, reference.loss, reference.loss * (wide ? 1e-5 : 1e-2));
  EXPECT_LT(relative_error(q.grad(), reference.q_gradient), wide ? 1e-5 : 4e-2);
  EXPECT_LT(relative_error(k.grad(), reference.k_gradient), wide ? 1e-5 : 4e-2);
  EXPECT_LT(relative_error(v.grad(), reference.v_gradient), wide ? 1e-5 : 4e-2);
}

INSTANTIATE_TEST_SUITE_P(
    All, AttentionAgainstReference,
    testing::Combine(testing::Values(AttentionBackend::naive, AttentionBackend::math,
                                     AttentionBackend::flash, AttentionBackend::automatic),
                     testing::Values(DataType::fp32, DataType::bf16), testing::Bool()));

struct BackendThatRan : testing::TestWithParam<std::tuple<AttentionBackend, const char*>> {};

TEST_P(BackendThatRan, IsReadOffTheOperators) {
  for (const run::WorkloadKind workload :
       {run::WorkloadKind::attention, run::WorkloadKind::block, run::WorkloadKind::lm}) {
    run::WorkloadSpec spec = small_spec(workload);
    spec.backend = std::get<0>(GetParam());
    Recorded recorded;
    auto execution = engine().prepare(spec, kPlenty, &recorded.recorder, {});
    ASSERT_TRUE(execution) << execution.error().sentence;
    EXPECT_EQ((*execution)->facts().backend_ran, "");
    ASSERT_TRUE((*execution)->step(&recorded.recorder, 0));
    EXPECT_EQ((*execution)->facts().backend_ran, std::get<1>(GetParam()));
  }
}

INSTANTIATE_TEST_SUITE_P(All, BackendThatRan,
                         testing::Values(std::tuple(AttentionBackend::naive, "naive"),
                                         std::tuple(AttentionBackend::math, "math"),
                                         std::tuple(AttentionBackend::flash, "flash"),
                                         std::tuple(AttentionBackend::automatic,
                                                    "flash")));  // LibTorch's choice on cpu

TEST(Attention, SwitchesAreLeftAsTheyWere) {
  at::Context& context = at::globalContext();
  context.setSDPUseMath(false);
  run::WorkloadSpec spec = small_attention();
  spec.backend = AttentionBackend::math;
  auto execution = engine().prepare(spec, kPlenty, nullptr, {});
  ASSERT_TRUE(execution);
  EXPECT_TRUE((*execution)->step(nullptr, 0));
  EXPECT_FALSE(context.userEnabledMathSDP());
  EXPECT_TRUE(context.userEnabledFlashSDP());
  context.setSDPUseMath(true);
}

}  // namespace
}  // namespace ts::kernels
