#include "views/inspector/gpu_rows.h"

#include <algorithm>
#include <array>

#include "views/charts/launch_text.h"

namespace ts::views {
namespace {

// In the order of trace::IdleCause.
constexpr std::array<const char*, trace::kIdleCauseCount> kCauses = {
    "inspector.idle.launch", "inspector.idle.synchronisation", "inspector.idle.copy",
    "inspector.idle.device", "inspector.idle.unknown"};

text::Quantity share(std::int64_t part, std::int64_t whole) {
  return {text::decimal(100 * static_cast<double>(part) /
                            static_cast<double>(std::max<std::int64_t>(whole, 1)),
                        1),
          "%"};
}

}  // namespace

std::vector<InspectorRow> gpu_rows(const text::Texts& texts, const stats::DeviceUse& use,
                                   std::optional<std::int64_t> steps) {
  const auto a_step = [&](std::int64_t ns) {
    return text::duration_ns(static_cast<double>(ns) /
                             static_cast<double>(std::max<std::int64_t>(steps.value_or(1), 1)));
  };
  const auto name = [&](const char* of_a_step, const char* in_all) {
    return texts(steps ? of_a_step : in_all);
  };
  std::vector<InspectorRow> rows;
  rows.push_back({name("inspector.gpu_span", "inspector.gpu_span_all"), a_step(use.span_ns)});
  rows.push_back(
      {name("inspector.gpu_kernels", "inspector.gpu_kernels_all"), a_step(use.kernel_ns)});
  rows.push_back({texts("inspector.gpu_busy"), share(use.busy_ns, use.span_ns)});
  for (std::size_t i = 0; i < kCauses.size(); ++i) {
    if (use.idle_ns[i] > 0) rows.push_back({texts(kCauses[i]), share(use.idle_ns[i], use.span_ns)});
  }
  if (use.copy_ns > 0) {
    rows.push_back({name("inspector.gpu_copies", "inspector.gpu_copies_all"), a_step(use.copy_ns)});
  }
  rows.push_back({texts("inspector.tensor_cores"), share(use.tensor_core_ns, use.kernel_ns)});
  rows.push_back({texts("inspector.queue"),
                  {texts("inspector.queue_value", {{"mean", text::decimal(use.queue_mean, 1)},
                                                   {"most", text::grouped(use.queue_most)}}),
                   ""}});
  return rows;
}

std::vector<InspectorRow> launch_rows(const text::Texts& texts, const trace::KernelLaunch& launch,
                                      const std::string& compute_capability) {
  std::vector<InspectorRow> rows;
  if (launch.block[0] <= 0) return rows;
  rows.push_back({texts("inspector.launch"),
                  {extent_text(launch.grid) + " \xc2\xb7 " + extent_text(launch.block), ""}});
  rows.push_back({texts("inspector.registers"),
                  launch.registers > 0 ? text::Quantity{text::grouped(launch.registers), ""}
                                       : text::Quantity{text::kNoNumber, ""}});
  rows.push_back({texts("inspector.shared_memory"), text::bytes(launch.shared_memory)});
  if (const auto held = stats::occupancy(compute_capability, launch)) {
    rows.push_back({texts("inspector.occupancy"), {occupancy_text(texts, *held), ""}});
  }
  return rows;
}

}  // namespace ts::views
