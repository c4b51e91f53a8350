// Measured tile sizes: what is compared, the reasons beside a time, and the sentence.
#include "core/kernel_plan/tile_bench.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/spec/presets.h"

namespace ts::kernel_plan {
namespace {

spec::WorkloadSpec base() {
  spec::WorkloadSpec spec;
  spec::choose_workload(spec::WorkloadKind::attention, spec);
  spec::apply_preset(*spec::find_preset(spec::WorkloadKind::attention, "a2-tiled"), spec);
  spec.seq_len = 1024;
  spec.heads = 1;
  spec.d_head = 64;
  spec.causal = true;
  return spec;
}

report::KernelPoint point(const spec::WorkloadSpec& spec, double ratio) {
  return {.spec = spec,
          .ours_ms = 10 * ratio,
          .theirs_ms = 10,
          .ours_peak = 0,
          .theirs_peak = 0,
          .ratio = {.pairs = 10, .median = ratio, .ci95 = {{ratio - 0.02, ratio + 0.02}}}};
}

TEST(TileBench, ComparesEveryPairOfSizesButTheUsualOne) {
  const auto specs = tile_bench_specs(base());
  EXPECT_EQ(specs.size(), 15U);
  for (const spec::WorkloadSpec& spec : specs) {
    EXPECT_TRUE(spec::validate(spec).empty());
    EXPECT_EQ(spec.backend, spec::AttentionBackend::own);
    EXPECT_FALSE(spec == with_usual_tiles(spec));
  }
}

TEST(TileBench, CostsOfTiles) {
  spec::WorkloadSpec spec = base();
  spec.tile_q = 128;
  spec.tile_k = 32;
  const TileCosts costs = costs_of(spec);
  EXPECT_EQ(costs.passes, 8);
  EXPECT_EQ(costs.tasks, 8);
  EXPECT_EQ(costs.bytes, 4 * (2 * (128 + 32) * 64 + 128 * 32));
  EXPECT_EQ(costs.updates, 32);
  const TileCosts small{.tasks = 64, .passes = 64, .updates = 64, .bytes = 1000, .wasted = 0.01};
  EXPECT_EQ(cost_against(small, small, 2, 0), Cost::none);
  EXPECT_EQ(cost_against(small, costs, 2, 0), Cost::passes);
  EXPECT_EQ(cost_against({1, 1, 64, 1000, 0.01}, small, 2, 0), Cost::threads);
  EXPECT_EQ(cost_against({64, 1, 64, 5000, 0.01}, small, 2, 2000), Cost::cache);
  EXPECT_EQ(cost_against({64, 64, 64, 1000, 0.2}, small, 2, 2000), Cost::waste);
  EXPECT_EQ(cost_against({64, 64, 65, 1000, 0.01}, small, 2, 2000), Cost::updates);
}

TEST(TileBench, TheBestIsNamedWithItsNumbers) {
  TileBench bench{.points = {}, .threads = 1, .cache_bytes = 1 << 20};
  for (const spec::WorkloadSpec& spec : tile_bench_specs(base()))
    bench.points.push_back(point(spec, spec.tile_q == 128 && spec.tile_k == 128 ? 0.9 : 1.1));
  EXPECT_EQ(tile_sentence(bench).rfind("Best: 128 x 128, 1.11 times as fast as 64 x 64 (95 % CI "
                                       "1.09 to 1.14): K and V are read 8 times instead of 16, ",
                                       0),
            0U)
      << tile_sentence(bench);
  EXPECT_EQ(tile_table(bench).rows.size(), 15U);
  EXPECT_EQ(to_json(bench, {})["points"].size(), 15U);
  for (report::KernelPoint& one : bench.points) one.ratio.median = 1;
  for (report::KernelPoint& one : bench.points) one.ratio.ci95 = {{0.9, 1.1}};
  EXPECT_EQ(tile_sentence(bench).rfind("No tiles are surely faster than 64 x 64", 0), 0U);
}

}  // namespace
}  // namespace ts::kernel_plan
