#include "core/report/result_curves.h"
#include "core/spec/workload_traits.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ts::report {
namespace {

run::ExecutionFacts two_curves() {
  run::ExecutionFacts facts;
  facts.curves = {{"fp16", {0.001, 1, 10000}, {1e-3, std::nan(""), 0.5}},
                  {"fp32", {0.001, 1, 10000}, {1e-7, 2e-7, 1.5e-7}}};
  return facts;
}

TEST(ResultCurves, AreATableWithAColumnEach) {
  const io::TextTable table =
      curve_table(two_curves(), spec::traits_of(spec::WorkloadKind::layernorm).curves);
  EXPECT_EQ(io::to_csv(table), "scale,fp16,fp32\n0.001,0.001,1e-07\n1,,2e-07\n10000,0.5,1.5e-07\n");
  EXPECT_TRUE(curve_table({}, {}).rows.empty());
}

TEST(ResultCurves, KnowTheirLargest) {
  const run::ExecutionFacts facts = two_curves();
  EXPECT_EQ(largest_of(facts, "fp16"), 0.5);
  EXPECT_EQ(largest_of(facts, "fp32"), 2e-7);
  EXPECT_FALSE(largest_of(facts, "bf16"));
}

TEST(ResultCurves, OnlyWorkloadsAboutNumbersHaveAxes) {
  EXPECT_STREQ(spec::traits_of(spec::WorkloadKind::accumulation).curves.x, "additions");
  EXPECT_FALSE(spec::traits_of(spec::WorkloadKind::accumulation).curves.log);
  EXPECT_TRUE(spec::traits_of(spec::WorkloadKind::layernorm).curves.log);
  EXPECT_STREQ(spec::traits_of(spec::WorkloadKind::lm).curves.x, "");
}

}  // namespace
}  // namespace ts::report
