// Waiting and caches of a step, on a device that notes every call.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <utility>

#include "core/base/clock.h"
#include "kernels/device/cpu_caches.h"
#include "tests/kernels/recorded.h"

namespace ts::kernels {
namespace {

constexpr std::int64_t kWait = 2'000'000;
constexpr std::int64_t kEviction = 30'000'000;

struct Seen {
  int waits = 0;
  int evictions = 0;
  int gatherings = 0;
  int gathered_after = 0;  // evictions, by then
};

// The CPU, but waiting takes 2 ms and driving out the caches 30 ms, as if there were a card.
class SlowDevice final : public Device {
 public:
  explicit SlowDevice(Seen& seen) : cpu_(make_cpu_device()), seen_(seen) { engine(); }
  [[nodiscard]] c10::Device torch_device() const override { return cpu_->torch_device(); }
  void synchronize() override {
    ++seen_.waits;
    std::this_thread::sleep_for(std::chrono::nanoseconds(kWait));
  }
  [[nodiscard]] bool can_evict_caches() const override { return true; }
  void evict_caches() override {
    ++seen_.evictions;
    std::this_thread::sleep_for(std::chrono::nanoseconds(kEviction));
  }
  void gather_threads() override {
    ++seen_.gatherings;
    seen_.gathered_after = seen_.evictions;
    cpu_->gather_threads();
  }
  void open_account(std::int64_t limit) override { cpu_->open_account(limit); }
  void enter_account() override { cpu_->enter_account(); }
  void close_account() noexcept override { cpu_->close_account(); }
  [[nodiscard]] run::MemoryCounters memory() const override { return cpu_->memory(); }

 private:
  std::unique_ptr<Device> cpu_;
  Seen& seen_;
};

TEST(Measuring, waiting_for_the_device_is_known_apart) {
  Seen seen;
  TorchExecution execution(small_attention(), std::make_unique<SlowDevice>(seen), kPlenty, {});
  ASSERT_TRUE(execution.build(nullptr));
  seen = {};
  const auto times = execution.step(nullptr, 0);
  ASSERT_TRUE(times);
  // Once before the step, once after forward, loss and backward each.
  EXPECT_EQ(seen.waits, 4);
  EXPECT_GE(times->waited_ns, 3 * kWait);
  EXPECT_GT(times->total_ns, times->waited_ns) << "the calls take time too";
  EXPECT_EQ(seen.evictions, 0) << "a hot step finds what the one before left";
}

TEST(Measuring, a_clock_that_does_not_wait_sees_the_calls_alone) {
  Seen seen;
  spec::WorkloadSpec spec = small_attention();
  spec.habit = spec::Habit::no_sync;
  TorchExecution execution(spec, std::make_unique<SlowDevice>(seen), kPlenty, {});
  ASSERT_TRUE(execution.build(nullptr));
  seen = {};
  const auto times = execution.step(nullptr, 0);
  ASSERT_TRUE(times);
  EXPECT_EQ(seen.waits, 1) << "before the step alone";
  EXPECT_EQ(times->waited_ns, 0);
}

TEST(Measuring, generating_tells_its_waits_too) {
  spec::WorkloadSpec spec = small_spec(spec::WorkloadKind::lm, spec::Pass::generate);
  spec.new_tokens = 3;
  Seen seen;
  TorchExecution execution(spec, std::make_unique<SlowDevice>(seen), kPlenty, {});
  ASSERT_TRUE(execution.build(nullptr));
  const auto times = execution.step(nullptr, 0);
  ASSERT_TRUE(times);
  EXPECT_GE(times->waited_ns, 2 * kWait) << "prefill and decode";
}

TEST(Measuring, caches_are_driven_out_before_every_cold_step_and_outside_its_time) {
  spec::WorkloadSpec spec = small_attention();
  spec.cache = spec::Cache::cold;
  Seen seen;
  TorchExecution execution(spec, std::make_unique<SlowDevice>(seen), kPlenty, {});
  ASSERT_TRUE(execution.build(nullptr));
  for (int i = 0; i < 3; ++i) {
    const std::int64_t begin = base::now_ns();
    const auto times = execution.step(nullptr, i);
    ASSERT_TRUE(times);
    EXPECT_EQ(seen.evictions, i + 1);
    EXPECT_GE(times->begin_ns - begin, kEviction) << "the step begins after it";
    EXPECT_LE(times->total_ns, base::now_ns() - begin - kEviction) << "it is no part of the step";
  }
}

// Both begin with the threads awake, or the one that drives out caches would seem the faster one
// where a thread is slow to wake.
TEST(Measuring, threads_are_gathered_before_every_step_hot_or_cold) {
  for (const spec::Cache cache : {spec::Cache::hot, spec::Cache::cold}) {
    spec::WorkloadSpec spec = small_attention();
    spec.cache = cache;
    Seen seen;
    TorchExecution execution(spec, std::make_unique<SlowDevice>(seen), kPlenty, {});
    ASSERT_TRUE(execution.build(nullptr));
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(execution.step(nullptr, i));
      EXPECT_EQ(seen.gatherings, i + 1);
      EXPECT_EQ(seen.gathered_after, cache == spec::Cache::cold ? i + 1 : 0) << "last of all";
    }
  }
}

TEST(Measuring, driving_out_the_caches_is_in_no_account) {
  const auto peak_of = [](spec::Cache cache) {
    spec::WorkloadSpec spec = small_attention();
    spec.cache = cache;
    TorchExecution execution(spec, make_cpu_device(), kPlenty, {});
    EXPECT_TRUE(execution.build(nullptr));
    EXPECT_TRUE(execution.step(nullptr, 0));
    return execution.memory().peak;
  };
  EXPECT_EQ(peak_of(spec::Cache::cold), peak_of(spec::Cache::hot));
  EXPECT_GE(CpuCaches::size(), std::size_t{64} << 20);
}

}  // namespace
}  // namespace ts::kernels
