#include "core/report/run_estimate.h"

#include <gtest/gtest.h>

#include "core/run/progress_meter.h"
#include "core/spec/workload_math.h"
#include "tests/spec/preset_spec.h"

namespace ts::report {
namespace {

TEST(RunEstimate, follows_from_flops_traffic_and_the_measured_roof) {
  spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::lm, "gpt2");
  const run::Protocol protocol;
  const run::Roof roof{spec.dtype, 2048, 0.1, 10};
  const auto estimate = estimate_run(spec, protocol, roof);
  ASSERT_TRUE(estimate);
  const double flops = spec::step_flops(spec, spec.backend).total();
  EXPECT_GT(estimate->step_s, flops / 0.1e12);
  EXPECT_LT(estimate->step_s, 2 * flops / 0.1e12);
  EXPECT_DOUBLE_EQ(estimate->total_s, run::run_seconds(spec, protocol, estimate->step_s));
  EXPECT_TRUE(estimate->is_long());
  // Ten times the peak and the bandwidth: a tenth of the time.
  const auto faster = estimate_run(spec, protocol, {spec.dtype, 2048, 1, 100});
  EXPECT_NEAR(faster->step_s, estimate->step_s / 10, 1e-9);
  EXPECT_EQ(time_text({.tflops = 1, .step_s = 1, .total_s = 246}).sentence, "about 4 min");
  EXPECT_EQ(time_text({.tflops = 1, .step_s = 1, .total_s = 80}).sentence, "about 80 s");
  EXPECT_NE(estimate_text(*estimate).sentence.find("100.0 GFLOP/s"), std::string::npos)
      << estimate_text(*estimate).sentence;
}

TEST(RunEstimate, nothing_is_estimated_from_nothing) {
  spec::WorkloadSpec spec = spec::preset_spec(spec::WorkloadKind::lm, "gpt2");
  EXPECT_FALSE(estimate_run(spec, {}, {}));
  spec.compile = spec::Compile::inductor;
  EXPECT_FALSE(estimate_run(spec, {}, {spec.dtype, 2048, 0.1, 10}))
      << "compiling takes its own time";
  spec::WorkloadSpec sums;
  sums.workload = spec::WorkloadKind::accumulation;
  EXPECT_FALSE(estimate_run(sums, {}, {spec.dtype, 2048, 0.1, 10}));
}

}  // namespace
}  // namespace ts::report
