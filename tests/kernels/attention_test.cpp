#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>
#include <utility>

#include "tests/kernels/attention_reference.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

using spec::AttentionBackend;
using spec::DataType;

void expect_as_reference(const spec::WorkloadSpec& spec) {
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
  // One key leaves nothing to choose: the gradients of Q and K are 0, here but for rounding.
  const bool chooses = k.size(2) > 1;
  if (chooses) {
    EXPECT_LT(relative_error(q.grad(), reference.q_gradient), wide ? 1e-5 : 4e-2);
    EXPECT_LT(relative_error(k.grad(), reference.k_gradient), wide ? 1e-5 : 4e-2);
  } else {
    EXPECT_LT(q.grad().abs().max().item<double>(), wide ? 1e-6 : 1e-5);
  }
  EXPECT_LT(relative_error(v.grad(), reference.v_gradient), wide ? 1e-5 : 4e-2);
}

constexpr AttentionBackend kCpuBackends[] = {AttentionBackend::naive, AttentionBackend::math,
                                             AttentionBackend::flash, AttentionBackend::tiled,
                                             AttentionBackend::own,   AttentionBackend::automatic};

struct AttentionAgainstReference
    : testing::TestWithParam<std::tuple<AttentionBackend, DataType, bool>> {};

TEST_P(AttentionAgainstReference, ValuesAndGradients) {
  spec::WorkloadSpec spec = small_attention();
  std::tie(spec.backend, spec.dtype, spec.causal) = GetParam();
  spec.tile_q = 16;
  spec.tile_k = 24;  // not a divisor of T
  expect_as_reference(spec);
}

// Heads 6, of which 6, 3, 2 and 1 with keys of their own.
TEST_P(AttentionAgainstReference, GroupedQueries) {
  spec::WorkloadSpec spec = small_attention();
  std::tie(spec.backend, spec.dtype, spec.causal) = GetParam();
  spec.heads = 6;
  spec.seq_len = 33;
  for (const std::int64_t kv_heads : {3, 2, 1}) {
    spec.kv_heads = kv_heads;
    expect_as_reference(spec);
  }
}

TEST_P(AttentionAgainstReference, CrossAttention) {
  spec::WorkloadSpec spec = small_attention();
  std::tie(spec.backend, spec.dtype, spec.causal) = GetParam();
  if (spec.causal) GTEST_SKIP() << "causal and cross exclude each other";
  for (const std::int64_t keys : {1, 17, 150}) {
    spec.seq_len_kv = keys;
    expect_as_reference(spec);
  }
}

INSTANTIATE_TEST_SUITE_P(All, AttentionAgainstReference,
                         testing::Combine(testing::ValuesIn(kCpuBackends),
                                          testing::Values(DataType::fp32, DataType::bf16),
                                          testing::Bool()));

// Remainder tiles of every kind, one query, one number a head, tiles larger than everything.
TEST(TiledAttention, OddSizes) {
  spec::WorkloadSpec spec = small_attention();
  spec.backend = AttentionBackend::tiled;
  spec.batch = 1;
  spec.heads = 2;
  for (const std::int64_t length : {1, 2, 31, 33, 64}) {
    for (const auto& [rows, columns] : {std::pair{1, 1}, {5, 3}, {32, 32}, {64, 16}, {999, 999}}) {
      for (const bool causal : {false, true}) {
        spec.seq_len = length;
        spec.tile_q = rows;
        spec.tile_k = columns;
        spec.causal = causal;
        spec.d_head = length % 2 == 0 ? 1 : 8;
        SCOPED_TRACE(testing::Message() << length << " " << rows << "x" << columns << causal);
        expect_as_reference(spec);
      }
    }
  }
}

// labs.md, F-8: 2 products a pair of tiles forward, and 5 backward.
TEST(TiledAttention, CallsOneProductATileAndPart) {
  spec::WorkloadSpec spec = small_attention();
  spec.backend = AttentionBackend::tiled;
  spec.seq_len = 64;
  spec.tile_q = spec.tile_k = 16;
  for (const bool causal : {false, true}) {
    spec.causal = causal;
    Recorded recorded;
    auto execution = engine().prepare(spec, kPlenty, &recorded.recorder, {});
    ASSERT_TRUE(execution) << execution.error().sentence;
    ASSERT_TRUE((*execution)->step(&recorded.recorder, 0));
    recorded.drain();
    int forward = 0, backward = 0;
    for (const capture::RawRecord& record : recorded.of_kind(capture::RawKind::op)) {
      if (recorded.text(record.name) != "aten::matmul") continue;
      ++(record.phase == base::Phase::forward ? forward : backward);
      EXPECT_EQ(recorded.text(record.module), "attention");
    }
    const int pairs = causal ? 10 : 16;  // of 4 x 4 tiles
    EXPECT_EQ(forward, 2 * pairs);
    EXPECT_EQ(backward, 5 * pairs);
  }
}

struct BackendThatRan : testing::TestWithParam<std::tuple<AttentionBackend, const char*>> {};

TEST_P(BackendThatRan, IsReadOffTheOperators) {
  for (const spec::WorkloadKind workload :
       {spec::WorkloadKind::attention, spec::WorkloadKind::block, spec::WorkloadKind::lm}) {
    spec::WorkloadSpec spec = small_spec(workload);
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
                                         std::tuple(AttentionBackend::tiled, "tiled"),
                                         std::tuple(AttentionBackend::own, "own"),
                                         std::tuple(AttentionBackend::automatic,
                                                    "flash")));  // LibTorch's choice on cpu

TEST(Attention, SwitchesAreLeftAsTheyWere) {
  at::Context& context = at::globalContext();
  context.setSDPUseMath(false);
  spec::WorkloadSpec spec = small_attention();
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
