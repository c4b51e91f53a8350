#include "core/predict/share.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/spec/workload_spec.h"

namespace ts::predict {
namespace {

spec::WorkloadSpec model() {
  spec::WorkloadSpec spec;
  spec.workload = spec::WorkloadKind::lm;
  spec.pass = spec::Pass::full_step;
  spec.layers = 7;
  spec.accumulate = 8;
  return spec;
}

TEST(Share, StagesHaveAllBlocksTogether) {
  for (std::int64_t stages = 1; stages <= 7; ++stages) {
    std::int64_t all = 0;
    for (std::int64_t stage = 0; stage < stages; ++stage) {
      const std::int64_t own = stage_layers({.pipeline = stages, .stage = stage}, 7);
      EXPECT_GE(own, 7 / stages);
      EXPECT_LE(own, 7 / stages + 1);
      all += own;
    }
    EXPECT_EQ(all, 7);
  }
}

TEST(Share, LaterStagesKeepFewerMicroBatches) {
  EXPECT_EQ(batches_in_flight({.pipeline = 4, .stage = 0}, 8), 4);
  EXPECT_EQ(batches_in_flight({.pipeline = 4, .stage = 3}, 8), 1);
  EXPECT_EQ(batches_in_flight({.pipeline = 4, .stage = 0}, 2), 2);
}

// By hand, after ZeroRedundancyOptimizer._partition_parameters: 9 | 7 | then 5 to the second (7 <
// 9), 4 to the first, 1 to the second (12 < 13).
TEST(Share, DealsTensorsOutTheLargestFirst) {
  const std::vector<std::int64_t> sizes = {4, 9, 1, 7, 5};
  const Partitions two = partitions(sizes, 2);
  EXPECT_EQ(two.of_ranks, (std::vector<std::vector<std::size_t>>{{1, 0}, {3, 4, 2}}));
  EXPECT_EQ(two.fullest, 0U);
  EXPECT_EQ(partitions(sizes, 5).of_ranks,
            (std::vector<std::vector<std::size_t>>{{1}, {3}, {4}, {0}, {2}}));
}

TEST(Share, IsRefusedWithItsReason) {
  const auto key = [](const spec::WorkloadSpec& spec, const Share& share) {
    const auto problem = share_problem(spec, share);
    return problem ? problem->key : "";
  };
  EXPECT_EQ(key(model(), {}), "");
  EXPECT_EQ(key(model(), {.ranks = 4, .shard = Shard::zero3, .tensor = 2}), "");
  EXPECT_EQ(key(model(), {.shard = Shard::zero1}), "share.one_rank");
  EXPECT_EQ(key(model(), {.ranks = 2, .shard = Shard::zero1, .rank = 1}), "");
  EXPECT_EQ(key(model(), {.ranks = 2, .shard = Shard::zero1, .rank = 2}), "share.rank");
  EXPECT_EQ(key(model(), {.tensor = 3}), "share.not_divisible");
  EXPECT_EQ(key(model(), {.ranks = 2, .shard = Shard::zero2, .pipeline = 2}),
            "share.pipeline_shards");
  EXPECT_EQ(key(model(), {.pipeline = 8}), "share.few_layers");
  EXPECT_EQ(key(model(), {.pipeline = 2, .stage = 2}), "share.stage");
  spec::WorkloadSpec spec = model();
  spec.accumulate = 1;
  EXPECT_EQ(key(spec, {.pipeline = 2}), "share.few_batches");
  spec::WorkloadSpec adapted = model();
  adapted.lora_rank = 4;
  EXPECT_EQ(key(adapted, {.ranks = 2, .shard = Shard::zero1}), "");
  EXPECT_EQ(key(adapted, {.pipeline = 2}), "");
  EXPECT_EQ(key(adapted, {.tensor = 2}), "share.adapters");
  EXPECT_EQ(key(adapted, {.ranks = 2, .shard = Shard::zero2}), "share.adapters");
  spec::WorkloadSpec latent = model();
  latent.kv_rank = 20;
  EXPECT_EQ(key(latent, {.tensor = 2}), "share.latent");
  EXPECT_EQ(key(latent, {.pipeline = 2}), "");
  spec::WorkloadSpec mixed = model();
  mixed.experts = 4;
  mixed.expert_ff = 24;
  EXPECT_EQ(key(mixed, {.tensor = 2, .pipeline = 2}), "");
  mixed.shared_ff = 25;
  EXPECT_EQ(key(mixed, {.tensor = 2}), "share.not_divisible");
  mixed.dense_layers = 1;
  EXPECT_EQ(key(mixed, {.pipeline = 2}), "share.mixed_layers");
  spec.pass = spec::Pass::forward_backward;
  EXPECT_EQ(key(spec, {.ranks = 2, .shard = Shard::zero1}), "share.no_optimizer");
  spec.workload = spec::WorkloadKind::mlp;
  EXPECT_EQ(key(spec, {.tensor = 2}), "share.only_lm");
  EXPECT_EQ(key(spec, {.ranks = 2, .shard = Shard::zero3}), "");
}

TEST(Share, ARunOfRanksIsRefusedWithItsReason) {
  run::World world;
  world.place.size = 4;
  const auto key = [&] {
    const auto problem = shard_problem(model(), world);
    return problem ? problem->key : "";
  };
  world.compression = run::Compression::powersgd;
  EXPECT_EQ(key(), "");
  world.shard = Shard::zero1;
  EXPECT_EQ(key(), "");
  world.shard = Shard::zero2;
  EXPECT_EQ(key(), "share.compressed");
  world.compression = run::Compression::none;
  EXPECT_EQ(key(), "");
  world.place.size = 1;
  EXPECT_EQ(key(), "share.one_rank");
}

}  // namespace
}  // namespace ts::predict
