#include "core/report/kernel_bench.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace ts::report {
namespace {

KernelBench example() {
  KernelBench bench;
  bench.roofs = {.source = {"measured"}, .tflops = 0.2};
  double ratio = 0.25;
  spec::WorkloadSpec base;
  base.batch = 1;
  for (const spec::WorkloadSpec& spec : kernel_bench_specs(base, {512, 16384})) {
    bench.points.push_back({.spec = spec,
                            .ours_ms = 10,
                            .theirs_ms = 10 / ratio,
                            .ratio = {.pairs = 10, .median = ratio, .ci95 = {{ratio, ratio}}}});
    ratio = ratio == 0.25 ? 1 : 0.25;  // full, causal
  }
  return bench;
}

TEST(KernelBench, LongSequencesHaveFewerHeads) {
  const KernelBench bench = example();
  EXPECT_EQ(bench.points.size(), 16U);
  for (const KernelPoint& point : bench.points) {
    EXPECT_EQ(point.spec.backend, spec::AttentionBackend::own);
    EXPECT_TRUE(spec::validate(point.spec).empty());
    EXPECT_EQ(point.spec.heads, point.spec.seq_len == 512 ? 8 : 1);
  }
}

TEST(KernelBench, MeansAreGeometric) {
  const KernelBench bench = example();
  EXPECT_NEAR(mean_speed(bench.points, [](const KernelPoint&) { return true; }), 2, 1e-12);
  EXPECT_NEAR(mean_speed(bench.points, [](const KernelPoint& one) { return one.spec.causal; }), 1,
              1e-12);
  EXPECT_EQ(kernel_sentence(bench),
            "2.00 times as fast as flash in the geometric mean (causal 1.00), at least 1.00");
  EXPECT_EQ(kernel_sentence({}), "");
}

TEST(KernelBench, TellsTheShareOfTheRoof) {
  KernelBench bench = example();
  bench.points.resize(1);
  const io::TextTable table = kernel_table(bench);
  ASSERT_EQ(table.rows.size(), bench.points.size());
  // 4 B H T T d: 8 heads of 512 x 512 x 64 are 0.54 GFLOP in 10 ms, of 0.2 TFLOP/s.
  EXPECT_EQ(table.rows[0][9], "27 %");
  EXPECT_EQ(table.rows[0][10], "7 %");
  const nlohmann::json json = to_json(bench, {});
  EXPECT_NEAR(json["points"][0]["tflops"].get<double>(), 0.0537, 1e-4);
  EXPECT_EQ(json["points"][0]["speed"], 4);
}

// The longest of all in 10 ms is far above 0.2 TFLOP/s.
TEST(KernelBench, NoShareOfTheRoofIsAboveOne) {
  const KernelBench bench = example();
  const Roofs roofs = bench.reached_roofs();
  EXPECT_GT(roofs.tflops, bench.roofs.tflops);
  EXPECT_EQ(roofs.source.sentence.rfind("reached by attention; 0.200 by a ", 0), 0U)
      << roofs.source.sentence;
  int whole = 0;
  for (const auto& row : kernel_table(bench).rows) {
    const int share = std::stoi(row[9]), of_flash = std::stoi(row[10]);
    EXPECT_LE(share, 100);
    EXPECT_LE(of_flash, 100);
    whole += share == 100 ? 1 : 0;
  }
  EXPECT_GE(whole, 1);
}

TEST(KernelBench, OperatorsHaveTimesAndMemory) {
  KernelBench bench;
  spec::WorkloadSpec base;
  base.heads = 3;
  for (const spec::WorkloadSpec& spec : operator_bench_specs(base)) {
    EXPECT_TRUE(spec::validate(spec).empty());
    EXPECT_TRUE(spec::field_applies(spec, spec::Field::kernels));
    EXPECT_EQ(spec.kernels, spec::Kernels::own);
    EXPECT_EQ(spec.heads, 3) << "all other settings are those of the base";
    bench.operators.push_back({.spec = spec,
                               .ours_ms = 10,
                               .theirs_ms = 20,
                               .ours_peak = 1 << 20,
                               .theirs_peak = 3 << 20,
                               .ratio = {.pairs = 10, .median = 0.5, .ci95 = {{0.4, 0.6}}}});
  }
  ASSERT_EQ(bench.operators.size(), 18U);
  const io::TextTable table = operator_table(bench);
  EXPECT_EQ(table.rows[4][0], "norm rmsnorm");
  EXPECT_EQ(table.rows[4][7], "2.00");
  EXPECT_EQ(table.rows[4][9], "3.00 MiB");
  EXPECT_EQ(table.rows[17][0], "cross_entropy");
  EXPECT_EQ(operator_sentence(bench),
            "Operators: 2.00 times as fast as LibTorch's in the geometric mean, at least 2.00");
  const nlohmann::json json = to_json(bench, {});
  EXPECT_EQ(json["operators"][0]["torch_ms"], 20);
  EXPECT_EQ(json["operators"][0]["peak_bytes"], 1 << 20);
  EXPECT_EQ(json["operators_geometric_mean"], 2);
  EXPECT_TRUE(json["points"].empty());
}

TEST(KernelBench, SizesAreNamed) {
  const auto attention = kernel_bench_specs({}, {512});
  EXPECT_EQ(size_text(attention[1]), "T 512, d_head 64, causal, forward");
  const auto operators = operator_bench_specs({});
  EXPECT_EQ(size_text(operators[5]), "norm rmsnorm, fp32, forward+backward");
}

// All sizes of both halves end within a quarter of an hour even where no ratio gets sure.
TEST(KernelBench, ASizeHasABudget) {
  const run::Protocol protocol = bench_protocol();
  EXPECT_GE(protocol.min_samples, 6) << "fewer have no interval";
  EXPECT_LE(2 * protocol.max_warmup_s + protocol.budget_s, 10);
  EXPECT_GE(protocol.hard_budget_s, protocol.budget_s);
}

TEST(KernelBench, DrawsALineForEachKindOfStep) {
  const auto curves = kernel_curves(example());
  ASSERT_EQ(curves.size(), 8U);
  EXPECT_EQ(curves[0].name, "forward, d_head 64, full");
  EXPECT_EQ(curves[0].x, (std::vector<double>{512, 16384}));
  EXPECT_EQ(curves[0].y, (std::vector<double>{4, 4}));
  EXPECT_EQ(curves[7].y, (std::vector<double>{1, 1}));
}

}  // namespace
}  // namespace ts::report
