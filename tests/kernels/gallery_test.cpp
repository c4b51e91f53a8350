// Predicted against measured peaks on the CPU, over everything the engine can do.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/spec/workload_math.h"
#include "tests/kernels/dry_run_compare.h"
#include "tests/kernels/gallery.h"

namespace ts::kernels {
namespace {

// How much scratch lives at once in the 16-bit products of flash attention's backward depends on
// which threads meet; on one it does not.
bool depends_on_threads(const spec::WorkloadSpec& spec) {
  const spec::DataType type = spec::compute_type(spec);
  const bool narrow = type == spec::DataType::bf16 || type == spec::DataType::fp16;
  const bool flash = spec.backend == spec::AttentionBackend::flash ||
                     spec.backend == spec::AttentionBackend::automatic;
  return narrow && flash && spec.pass != spec::Pass::forward;
}

// Several threads take twice the time of one for tensors this small, so they run every fourth.
TEST(Gallery, PredictedPeaksAreTheMeasuredOnes) {
  constexpr std::size_t kFourth = 4;
  constexpr int kSteps = 2;
  constexpr double kMost = 0.01;  // of the measured peak, either way
  std::size_t all = 0, equal = 0;
  double worst = 0;
  std::string worst_name = "none";
  const int threads = at::get_num_threads();
  for (const Exhibit& exhibit : gallery()) {
    SCOPED_TRACE(exhibit.name);
    const bool on_one = depends_on_threads(exhibit.spec) || all % kFourth != 0;
    at::set_num_threads(on_one ? 1 : threads);
    base::StringTable strings;
    predict::DryRunOptions options;
    options.steps = kSteps;
    options.rules = spec::DeviceKind::cpu;
    const auto dry = dry_runner().dry_run(exhibit.spec, options, strings, {});
    RealRun real(exhibit.spec.workload == spec::WorkloadKind::vlm ? 1U << 18 : 1U << 15);
    const int steps = dry ? dry->options.steps : kSteps;  // more where each adds to the peak
    const std::string failure = try_for_real(exhibit.spec, steps, real);
    // A spec that cannot run is not predicted either.
    ASSERT_EQ(dry.has_value(), failure.empty()) << failure << (dry ? "" : dry.error().sentence);
    if (!dry) continue;
    ++all;
    EXPECT_EQ(dry->backend, real.backend);
    const std::int64_t predicted = dry->log.peak_bytes();
    if (predicted == real.peak) ++equal;
    const double off = static_cast<double>(predicted - real.peak) /
                       static_cast<double>(std::max<std::int64_t>(1, real.peak));
    EXPECT_LE(std::abs(off), kMost) << "predicted " << predicted << ", measured " << real.peak;
    if (std::abs(off) <= std::abs(worst)) continue;
    worst = off;
    worst_name = exhibit.name;
  }
  at::set_num_threads(threads);
  EXPECT_GT(all, 500U);
  EXPECT_GE(static_cast<double>(equal), 0.9 * static_cast<double>(all));
  std::printf("%zu of %zu predicted peaks are equal to the byte; worst: %+.3f %% (%s)\n", equal,
              all, worst * 100, worst_name.c_str());
}

TEST(Gallery, ColdCachesTakeNothing) {
  spec::WorkloadSpec spec = small_spec(spec::WorkloadKind::lm, spec::Pass::full_step);
  RealRun hot, cold;
  run_for_real(spec, 2, hot);
  spec.cache = spec::Cache::cold;
  run_for_real(spec, 2, cold);
  EXPECT_EQ(cold.peak, hot.peak);
}

// Too many to go through: a few of every kind stand for all.
TEST(Gallery, ThePeakOfManyTilesIsThatOfAFew) {
  for (const bool causal : {true, false}) {
    spec::WorkloadSpec spec = small_attention();
    spec.backend = spec::AttentionBackend::tiled;
    spec.causal = causal;
    spec.seq_len = 163;
    spec.tile_q = spec.tile_k = 5;
    RealRun real(1U << 18);
    run_for_real(spec, 1, real);
    base::StringTable strings;
    predict::DryRunOptions options;
    options.rules = spec::DeviceKind::cpu;
    options.steps = 1;
    const auto dry = dry_runner().dry_run(spec, options, strings, {});
    ASSERT_TRUE(dry) << dry.error().sentence;
    EXPECT_EQ(dry->log.peak_bytes(), real.peak);
    EXPECT_LT(dry->log.events().size(), real.recorded.memory.events().size() / 4);
  }
}

}  // namespace
}  // namespace ts::kernels
