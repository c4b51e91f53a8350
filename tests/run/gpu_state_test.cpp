#include "core/run/gpu_state.h"

#include <gtest/gtest.h>

namespace ts::run {
namespace {

TEST(GpuStates, reasons_are_those_that_slow_down) {
  EXPECT_TRUE(throttle_reasons(0).empty());
  EXPECT_TRUE(throttle_reasons(0x1 | 0x2 | 0x100).empty()) << "idle, chosen clocks, display";
  EXPECT_EQ(throttle_reasons(0x4), (std::vector<std::string>{"power"}));
  EXPECT_EQ(throttle_reasons(0x20 | 0x40), (std::vector<std::string>{"heat"})) << "said once";
  EXPECT_EQ(throttle_reasons(0x8 | 0x80), (std::vector<std::string>{"hardware", "power_brake"}));
}

StepTimes step(std::int32_t clock, std::int32_t celsius, double watts, std::uint64_t throttle,
               std::int64_t used) {
  StepTimes times;
  GpuState state;
  state.sm_clock_mhz = clock;
  state.temperature_c = celsius;
  state.power_w = watts;
  state.throttle = throttle;
  state.used_bytes = used;
  times.gpu = state;
  return times;
}

TEST(GpuStates, are_summed_up_over_the_steps_that_have_one) {
  EXPECT_EQ(summarise_states({}).samples, 0);
  EXPECT_EQ(summarise_states({StepTimes{}}).samples, 0);
  const GpuStateSummary summary =
      summarise_states({step(1700, 60, 300, 0x1, 10), StepTimes{}, step(1500, 66, 500, 0x4, 30),
                        step(1900, 64, 400, 0x4, 20)});
  EXPECT_EQ(summary.samples, 3);
  EXPECT_EQ(summary.sm_clock_low_mhz, 1500);
  EXPECT_EQ(summary.sm_clock_high_mhz, 1900);
  EXPECT_EQ(summary.temperature_high_c, 66);
  EXPECT_EQ(summary.power_mean_w, 400);
  EXPECT_EQ(summary.throttle, 0x5U);
  EXPECT_EQ(summary.throttled, 2);
  EXPECT_EQ(summary.used_high_bytes, 30);
}

}  // namespace
}  // namespace ts::run
