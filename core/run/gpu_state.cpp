#include "core/run/gpu_state.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ts::run {
namespace {

// nvmlClocksThrottleReason...: SwPowerCap, HwSlowdown, SyncBoost, SwThermalSlowdown,
// HwThermalSlowdown, HwPowerBrakeSlowdown.
constexpr std::array<std::pair<std::uint64_t, const char*>, 6> kReasons = {{{0x04, "power"},
                                                                            {0x08, "hardware"},
                                                                            {0x10, "sync_boost"},
                                                                            {0x20, "heat"},
                                                                            {0x40, "heat"},
                                                                            {0x80, "power_brake"}}};

}  // namespace

std::vector<std::string> throttle_reasons(std::uint64_t bits) {
  std::vector<std::string> reasons;
  for (const auto& [bit, name] : kReasons) {
    if ((bits & bit) != 0 && std::ranges::find(reasons, name) == reasons.end())
      reasons.emplace_back(name);
  }
  return reasons;
}

GpuStateSummary summarise_states(const std::vector<StepTimes>& steps) {
  GpuStateSummary summary;
  double power = 0;
  for (const StepTimes& step : steps) {
    if (!step.gpu) continue;
    const GpuState& state = *step.gpu;
    const bool first = summary.samples++ == 0;
    summary.sm_clock_low_mhz =
        first ? state.sm_clock_mhz : std::min(summary.sm_clock_low_mhz, state.sm_clock_mhz);
    summary.sm_clock_high_mhz = std::max(summary.sm_clock_high_mhz, state.sm_clock_mhz);
    summary.memory_clock_mhz = state.memory_clock_mhz;
    summary.temperature_high_c = std::max(summary.temperature_high_c, state.temperature_c);
    summary.used_high_bytes = std::max(summary.used_high_bytes, state.used_bytes);
    summary.throttle |= state.throttle;
    if (!throttle_reasons(state.throttle).empty()) ++summary.throttled;
    power += state.power_w;
  }
  if (summary.samples > 0) summary.power_mean_w = power / summary.samples;
  return summary;
}

}  // namespace ts::run
