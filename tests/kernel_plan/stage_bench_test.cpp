// The stages of our attention on the processor: sizes, the table, the sentence, the document.
#include "core/kernel_plan/stage_bench.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/spec/presets.h"
#include "core/text/numbers.h"
#include "tests/views/texts_for_tests.h"

namespace ts::kernel_plan {
namespace {

spec::WorkloadSpec example_spec() {
  spec::WorkloadSpec spec;
  spec::choose_workload(spec::WorkloadKind::attention, spec);
  spec::apply_preset(*spec::find_preset(spec::WorkloadKind::attention, "a2-tiled"), spec);
  spec.batch = 1;
  spec.seq_len = 512;
  spec.heads = 8;
  spec.d_head = 64;
  spec.causal = false;
  return spec;
}

// Loops of 80 ms, vectors of 10 ms, beside flash with 20 ms; the backward of the vectors is not
// measured.
StageBench example() {
  StageBench bench;
  bench.roofs = {.source = {"measured"}, .tflops = 0.2};
  const auto add = [&](const char* instructions, const spec::WorkloadSpec& spec, double ms) {
    bench.points.push_back(
        {instructions,
         {.spec = spec,
          .ours_ms = ms,
          .theirs_ms = 20,
          .ratio = {.pairs = 10, .median = ms / 20, .ci95 = {{ms / 25, ms / 16}}}}});
  };
  const auto specs = stage_bench_specs(example_spec());
  add("portable", specs[0], 80);
  add("portable", specs[1], 160);
  add("AVX2", specs[0], 10);
  return bench;
}

TEST(StageBench, MeasuresBothPassesOfOurKernel) {
  const auto specs = stage_bench_specs(example_spec());
  ASSERT_EQ(specs.size(), 2U);
  EXPECT_EQ(specs[0].pass, spec::Pass::forward);
  EXPECT_EQ(specs[1].pass, spec::Pass::forward_backward);
  for (const spec::WorkloadSpec& spec : specs) {
    EXPECT_TRUE(spec::validate(spec).empty());
    EXPECT_EQ(spec.backend, spec::AttentionBackend::own);
    EXPECT_EQ(spec.seq_len, 512);
  }
}

TEST(StageBench, TheTableHasTimeAndShareOfTheRoof) {
  const io::TextTable table = stage_bench_table(example(), views::testing::program_texts());
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0][0], "plain loops");
  EXPECT_EQ(table.rows[0][1], "80.00 ms");
  // 4 B H T T d: 8 heads of 512 x 512 x 64 are 0.54 GFLOP, of 0.2 TFLOP/s.
  EXPECT_EQ(table.rows[0][2], "3.4 %");
  EXPECT_EQ(table.rows[0][3], "0.25");
  EXPECT_EQ(table.rows[0][4], "160.0 ms");
  EXPECT_EQ(table.rows[1][0], "AVX2");
  EXPECT_EQ(table.rows[1][2], "26.8 %");
  EXPECT_EQ(table.rows[1][3], "2.00");
  EXPECT_EQ(table.rows[1][4], text::kNoNumber) << "not measured";
  EXPECT_EQ(table.rows[2][1], "20.00 ms") << "flash";
  EXPECT_EQ(table.rows[2][2], "13.4 %");
  StageBench no_roof = example();
  no_roof.roofs = {};
  EXPECT_EQ(stage_bench_table(no_roof, views::testing::program_texts()).rows[0][2],
            text::kNoNumber);
  EXPECT_TRUE(stage_bench_table({}, views::testing::program_texts()).rows.empty());
}

// A product on a busy machine, or by a library without the widest vectors, is no roof.
TEST(StageBench, TheRoofIsAtLeastWhatAStageReaches) {
  StageBench bench = example();
  bench.points.erase(bench.points.begin() + 1);  // with backward
  bench.roofs = {.source = {"512 x 512 product in fp32"}, .tflops = 0.02};
  const report::Roofs reached = bench.reached_roofs();
  EXPECT_NEAR(reached.tflops, 0.0537, 1e-4);
  EXPECT_EQ(reached.source.sentence, "reached by attention; 0.020 by a 512 x 512 product in fp32");
  const io::TextTable table = stage_bench_table(bench, views::testing::program_texts());
  EXPECT_EQ(table.rows[0][2], "12.5 %");
  EXPECT_EQ(table.rows[1][2], "100.0 %");
  EXPECT_EQ(table.rows[2][2], "50.0 %");
  EXPECT_EQ(example().reached_roofs(), example().roofs);
}

TEST(StageBench, TheSentenceComparesWithLoopsAndFlash) {
  EXPECT_EQ(stage_bench_sentence(example()),
            "forward: AVX2 is 8.00 times as fast as plain loops and 2.00 times as fast as flash");
  EXPECT_EQ(stage_bench_sentence({}), "");
}

TEST(StageBench, IsTheSameAfterItsDocument) {
  const StageBench bench = example();
  const auto read = stage_bench_from_json(to_json(bench, {}));
  ASSERT_TRUE(read) << read.error().sentence;
  EXPECT_EQ(read->roofs, bench.roofs);
  EXPECT_EQ(read->stages(), (std::vector<std::string>{"portable", "AVX2"}));
  ASSERT_EQ(read->points.size(), bench.points.size());
  for (std::size_t i = 0; i < bench.points.size(); ++i) {
    EXPECT_EQ(read->points[i].point.spec, bench.points[i].point.spec);
    EXPECT_DOUBLE_EQ(read->points[i].point.ours_ms, bench.points[i].point.ours_ms);
    EXPECT_DOUBLE_EQ(read->points[i].point.ratio.ci95->high,
                     bench.points[i].point.ratio.ci95->high);
  }
  EXPECT_FALSE(stage_bench_from_json({{"stages", 3}}));
}

}  // namespace
}  // namespace ts::kernel_plan
