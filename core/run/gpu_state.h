#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/run/engine.h"

namespace ts::run {

// The reasons why a GPU's clocks are reduced, by NVML's bits; an idle GPU and clocks that the user
// set are not reasons. Short names: "power", "heat", "hardware", "power_brake", "sync_boost".
std::vector<std::string> throttle_reasons(std::uint64_t bits);

// Summary of the states over the steps that have one.
struct GpuStateSummary {
  std::int32_t samples = 0;
  std::int32_t sm_clock_low_mhz = 0;
  std::int32_t sm_clock_high_mhz = 0;
  std::int32_t memory_clock_mhz = 0;  // the last
  std::int32_t temperature_high_c = 0;
  double power_mean_w = 0;
  std::uint64_t throttle = 0;  // reasons that were given at any time
  std::int32_t throttled = 0;  // samples with a reason
  std::int64_t used_high_bytes = 0;
};
GpuStateSummary summarise_states(const std::vector<StepTimes>& steps);

}  // namespace ts::run
