#include "views/inspector/state_rows.h"

#include "core/run/gpu_state.h"
#include "views/common/exact_bytes.h"

namespace ts::views {

std::vector<InspectorRow> state_rows(const text::Texts& texts, const run::Run& run) {
  std::vector<InspectorRow> rows;
  const run::TimingSummary device = run.timing_of(&run::StepTimes::device_ns);
  if (device.n > 0) {
    rows.push_back({texts("inspector.device_time"), text::duration_ns(device.median_ms * 1e6)});
  }
  if (run.memory.peak_reserved() > 0) {
    rows.push_back({texts("inspector.reserved"), text::bytes(run.memory.peak_reserved()),
                    exact_bytes(texts, run.memory.peak_reserved())});
    rows.back().term = "reserved";
  }
  const run::GpuStateSummary state = run::summarise_states(run.timed_steps);
  if (state.samples == 0) return rows;
  rows.push_back({texts("inspector.used_on_device"), text::bytes(state.used_high_bytes),
                  exact_bytes(texts, state.used_high_bytes)});
  rows.back().term = "context";
  if (state.sm_clock_high_mhz > 0) {
    const std::string high = std::to_string(state.sm_clock_high_mhz);
    const bool steady = state.sm_clock_low_mhz == state.sm_clock_high_mhz;
    rows.push_back(
        {texts("inspector.sm_clock"),
         {steady ? high
                 : texts("inspector.range",
                         {{"low", std::to_string(state.sm_clock_low_mhz)}, {"high", high}}),
          "MHz"}});
  }
  if (state.temperature_high_c > 0) {
    rows.push_back({texts("inspector.temperature"),
                    {std::to_string(state.temperature_high_c),
                     "\xc2\xb0"
                     "C"}});
  }
  if (state.power_mean_w > 0) {
    rows.push_back({texts("inspector.power"), {text::decimal(state.power_mean_w, 0), "W"}});
  }
  std::string reasons;
  for (const std::string& reason : run::throttle_reasons(state.throttle)) {
    if (!reasons.empty()) reasons += ", ";
    reasons += texts("inspector.throttle." + reason);
  }
  rows.push_back({texts("inspector.throttled"),
                  {reasons.empty() ? std::string(texts("inspector.not_throttled"))
                                   : texts("inspector.throttled_value",
                                           {{"reasons", reasons},
                                            {"count", std::to_string(state.throttled)},
                                            {"all", std::to_string(state.samples)}}),
                   ""}});
  return rows;
}

}  // namespace ts::views
