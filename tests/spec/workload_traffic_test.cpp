// Bytes moved, counted by hand.
#include "core/spec/workload_traffic.h"

#include <gtest/gtest.h>

#include "core/spec/workload_math.h"

namespace ts::spec {
namespace {

WorkloadSpec attention(AttentionBackend backend, Pass pass) {
  WorkloadSpec spec;
  spec.batch = 2;
  spec.heads = 3;
  spec.seq_len = 100;
  spec.d_head = 16;
  spec.backend = backend;
  spec.pass = pass;
  return spec;
}

constexpr double kTensor = 2.0 * 3 * 100 * 16;   // numbers of Q
constexpr double kSquare = 2.0 * 3 * 100 * 100;  // numbers of the scores

TEST(WorkloadTraffic, StoredScoresMoveFourSquaresForwardAndSevenBackward) {
  for (const AttentionBackend backend : {AttentionBackend::naive, AttentionBackend::math}) {
    EXPECT_EQ(step_traffic(attention(backend, Pass::forward), backend),
              4 * (4 * kTensor + 4 * kSquare));
    EXPECT_EQ(step_traffic(attention(backend, Pass::forward_backward), backend),
              4 * (4 * kTensor + 4 * kSquare + 8 * kTensor + 7 * kSquare));
  }
}

TEST(WorkloadTraffic, FusedAttentionMovesInputsAndOutputsInTheirType) {
  WorkloadSpec spec = attention(AttentionBackend::flash, Pass::forward_backward);
  EXPECT_EQ(step_traffic(spec, AttentionBackend::flash), 4 * 12 * kTensor);
  spec.dtype = DataType::bf16;
  EXPECT_EQ(step_traffic(spec, AttentionBackend::flash), 2 * 12 * kTensor);
  // Its growth is linear, that of stored scores quadratic.
  WorkloadSpec twice = spec;
  twice.seq_len *= 2;
  EXPECT_EQ(step_traffic(twice, AttentionBackend::flash),
            2 * step_traffic(spec, AttentionBackend::flash));
  const double grown =
      step_traffic(twice, AttentionBackend::naive) / step_traffic(spec, AttentionBackend::naive);
  EXPECT_GT(grown, 3.5);
  EXPECT_LT(grown, 4);
  // A third of the heads of K and V: Q, O and their gradients stay.
  spec.dtype = DataType::fp32;
  spec.kv_heads = 1;
  EXPECT_EQ(step_traffic(spec, AttentionBackend::flash), 4 * (6 * kTensor + 6 * kTensor / 3));
}

TEST(WorkloadTraffic, ProjectionsAreProductsBesideAttention) {
  WorkloadSpec spec = attention(AttentionBackend::flash, Pass::forward);
  const double given = step_traffic(spec, AttentionBackend::flash);
  spec.projections = true;
  // X read and Q, K or V written three times, weights of 48 x 48.
  const double products = 4 * 3 * (2 * kTensor + 48 * 48);
  EXPECT_EQ(step_traffic(spec, AttentionBackend::flash), given + products);
  spec.kv_heads = 1;  // K and V a third as wide
  EXPECT_EQ(step_traffic(spec, AttentionBackend::flash),
            4 * ((2 * kTensor + 2 * kTensor / 3) + (2 * kTensor + 48 * 48) +
                 2 * (kTensor + kTensor / 3 + 48 * 16)));
}

TEST(WorkloadTraffic, ProductsAndTheOptimizer) {
  WorkloadSpec spec;
  spec.workload = WorkloadKind::mlp;
  spec.batch = 5;
  spec.seq_len = 2;
  spec.d_model = 7;
  spec.d_ff = 11;
  spec.pass = Pass::forward;
  const double one = 10 * 7 + 7 * 11 + 10 * 11;
  EXPECT_EQ(step_traffic(spec, AttentionBackend::automatic), 4 * 2 * one);
  spec.pass = Pass::forward_backward;
  EXPECT_EQ(step_traffic(spec, AttentionBackend::automatic), 4 * 6 * one);
  spec.pass = Pass::full_step;
  const auto parameters = static_cast<double>(parameter_count(spec));
  EXPECT_EQ(step_traffic(spec, AttentionBackend::automatic), 4 * (6 * one + 7 * parameters));
  spec.optimizer = OptimizerKind::sgd;
  EXPECT_EQ(step_traffic(spec, AttentionBackend::automatic), 4 * (6 * one + 3 * parameters));
}

TEST(WorkloadTraffic, TheUpdateOfHalfParametersByItsState) {
  WorkloadSpec spec;
  spec.workload = WorkloadKind::mlp;
  spec.pass = Pass::full_step;
  spec.dtype = DataType::bf16;
  const auto update = [&](OptimizerState state) {
    WorkloadSpec whole = spec;
    whole.optimizer_state = state;
    WorkloadSpec without = whole;
    without.pass = Pass::forward_backward;
    return (step_traffic(whole, AttentionBackend::automatic) -
            step_traffic(without, AttentionBackend::automatic)) /
           static_cast<double>(parameter_count(spec));
  };
  EXPECT_DOUBLE_EQ(update(OptimizerState::parameter), 7 * 2);
  EXPECT_DOUBLE_EQ(update(OptimizerState::fp32), 3 * 2 + 4 * 4);
  EXPECT_DOUBLE_EQ(update(OptimizerState::fp32_master), 2 * 2 + 6 * 4);
  spec.optimizer = OptimizerKind::adamw_8bit;
  EXPECT_DOUBLE_EQ(update(OptimizerState::parameter), 3 * 2 + 2 * 2);
  spec.optimizer = OptimizerKind::sgd;
  EXPECT_DOUBLE_EQ(update(OptimizerState::parameter), 3 * 2);
  EXPECT_DOUBLE_EQ(update(OptimizerState::fp32), 3 * 2);
  EXPECT_DOUBLE_EQ(update(OptimizerState::fp32_master), 2 * 2 + 2 * 4);
  spec.momentum = 0.9;
  EXPECT_DOUBLE_EQ(update(OptimizerState::fp32), 3 * 2 + 2 * 4);
}

TEST(WorkloadTraffic, EveryWorkloadMovesAtLeastItsParametersOnce) {
  for (const WorkloadKind kind :
       {WorkloadKind::attention, WorkloadKind::mlp, WorkloadKind::block, WorkloadKind::lm,
        WorkloadKind::weighted_sum, WorkloadKind::toy}) {
    for (const Pass pass : {Pass::forward, Pass::forward_backward, Pass::full_step}) {
      WorkloadSpec spec;
      spec.workload = kind;
      spec.pass = pass;
      const double bytes = step_traffic(spec, spec.backend);
      EXPECT_GT(bytes, 0) << to_string(kind);
      // The table of tokens is only looked up, and norms are left out.
      if (kind == WorkloadKind::mlp || kind == WorkloadKind::toy) {
        EXPECT_GT(bytes, 3.5 * static_cast<double>(parameter_count(spec))) << to_string(kind);
      }
    }
  }
  WorkloadSpec generate;
  generate.workload = WorkloadKind::lm;
  generate.pass = Pass::generate;
  generate.batch = 1;
  const double cached = step_traffic(generate, AttentionBackend::flash);
  // Each new token reads every weight of the blocks and the head.
  EXPECT_GT(cached, 4.0 * 32 * static_cast<double>(4 * 4 * 512 * 512));
  generate.kv_cache = false;
  EXPECT_GT(step_traffic(generate, AttentionBackend::flash), cached);
}

}  // namespace
}  // namespace ts::spec
