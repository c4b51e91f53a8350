#include <gtest/gtest.h>

#include <cmath>

#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

// What the cpu tests prove, once more on a GPU; skipped with the reason where there is none.
struct OnCuda : testing::TestWithParam<run::WorkloadSpec> {
  void SetUp() override {
    for (const run::DeviceInfo& device : engine().info().devices) {
      if (device.kind != run::DeviceKind::cuda) continue;
      if (device.unavailable.empty()) return;
      GTEST_SKIP() << device.unavailable;
    }
  }
  run::WorkloadSpec spec = [] {
    run::WorkloadSpec made = GetParam();
    made.device = run::DeviceKind::cuda;
    return made;
  }();
};

TEST_P(OnCuda, LogEqualsAllocator) {
  Recorded recorded;
  auto prepared = engine().prepare(spec, kPlenty, &recorded.recorder, {});
  ASSERT_TRUE(prepared) << prepared.error().sentence;
  const std::unique_ptr<run::Execution> execution = std::move(*prepared);
  for (int i = 0; i < 3; ++i) {
    const auto times = execution->step(&recorded.recorder, i);
    ASSERT_TRUE(times) << times.error().sentence;
    EXPECT_TRUE(std::isfinite(times->loss));
  }
  recorded.drain();
  EXPECT_EQ(recorded.memory.unmatched_owners(), 0U);
  EXPECT_EQ(recorded.memory.current_bytes(), execution->memory().allocated);
  EXPECT_EQ(recorded.memory.peak_bytes(), execution->memory().peak);
}

TEST_P(OnCuda, SmallLimitIsOutOfMemory) {
  // Less than the caching allocator takes from the device at once.
  auto execution = engine().prepare(spec, std::int64_t{1} << 20, nullptr, {});
  ASSERT_FALSE(execution);
  EXPECT_EQ(execution.error().verdict, run::Verdict::oom);
  EXPECT_GT(execution.error().bytes_asked, 0);
}

INSTANTIATE_TEST_SUITE_P(All, OnCuda, testing::ValuesIn(every_small_spec()), spec_name);

}  // namespace
}  // namespace ts::kernels
