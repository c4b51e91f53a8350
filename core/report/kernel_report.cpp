#include "core/report/kernel_report.h"

#include <array>

#include "core/io/json_values.h"
#include "core/text/numbers.h"

namespace ts::report {
namespace {

// In the order of trace::IdleCause.
constexpr std::array<const char*, trace::kIdleCauseCount> kCauses = {"launch", "synchronisation",
                                                                     "copy", "device", "unknown"};

nlohmann::json device_json(const stats::DeviceUse& use) {
  auto idle = nlohmann::json::object();
  for (std::size_t i = 0; i < kCauses.size(); ++i)
    idle[kCauses[i]] = io::milliseconds(use.idle_ns[i]);
  nlohmann::json tensor_cores = nullptr;
  if (use.kernel_ns > 0) {
    tensor_cores = static_cast<double>(use.tensor_core_ns) / static_cast<double>(use.kernel_ns);
  }
  return {{"device", use.device},
          {"kernels", use.kernels},
          {"span_ms", io::milliseconds(use.span_ns)},
          {"busy_ms", io::milliseconds(use.busy_ns)},
          {"kernel_ms", io::milliseconds(use.kernel_ns)},
          {"copy_ms", io::milliseconds(use.copy_ns)},
          {"idle_ms", std::move(idle)},
          {"tensor_core_share", std::move(tensor_cores)},
          {"queue_mean", use.queue_mean},
          {"queue_most", use.queue_most}};
}

nlohmann::json on_tensor_cores(trace::TensorCores used) {
  if (used == trace::TensorCores::unknown) return nullptr;
  return used == trace::TensorCores::yes;
}

const char* tensor_core_word(trace::TensorCores used) {
  if (used == trace::TensorCores::unknown) return "unknown";
  return used == trace::TensorCores::yes ? "yes" : "no";
}

nlohmann::json row_json(const stats::KernelRow& row, const base::StringTable& strings,
                        const std::string& capability) {
  nlohmann::json share = nullptr;
  nlohmann::json limit = nullptr;
  if (const auto held = stats::occupancy(capability, row.launch)) {
    share = held->share;
    limit = limit_words(held->limit);
  }
  return {{"name", std::string(strings.view(row.name))},
          {"calls", row.calls},
          {"total_ms", io::milliseconds(row.total_ns)},
          {"share", row.share},
          {"average_ms", row.average_ns * 1e-6},
          {"p50_ms", row.p50_ns * 1e-6},
          {"p90_ms", row.p90_ns * 1e-6},
          {"tensor_cores", on_tensor_cores(row.tensor_cores)},
          {"operator", std::string(strings.view(row.launch.op))},
          {"grid", row.launch.grid},
          {"block", row.launch.block},
          {"registers", row.launch.registers},
          {"shared_memory", row.launch.shared_memory},
          {"launches", row.launches},
          {"occupancy", std::move(share)},
          {"occupancy_limit", std::move(limit)},
          {"operator_flops", row.op_flops},
          {"operator_input_bytes", row.op_input_bytes}};
}

}  // namespace

std::string compute_capability(const run::Run& run) {
  return run.card ? run.card->compute_capability : std::string();
}

std::string limit_words(stats::OccupancyLimit limit) {
  return limit == stats::OccupancyLimit::shared_memory ? "shared memory" : to_string(limit);
}

io::TextTable kernel_text(const stats::KernelTable& table, const base::StringTable& strings,
                          const std::string& capability) {
  io::TextTable text;
  text.columns = {"kernel",      "calls",          "total ms",
                  "share %",     "average ms",     "P50 ms",
                  "P90 ms",      "grid",           "block",
                  "registers",   "shared bytes",   "launches",
                  "occupancy %", "bound by",       "tensor cores",
                  "operator",    "operator GFLOP", "operator input bytes"};
  text.right = {false, true, true, true, true,  true,  true,  true, true,
                true,  true, true, true, false, false, false, true, true};
  for (const stats::KernelRow& row : table.rows) {
    const auto held = stats::occupancy(capability, row.launch);
    text.rows.push_back(
        {std::string(strings.view(row.name)), std::to_string(row.calls),
         text::fixed(io::milliseconds(row.total_ns), 4), text::fixed(row.share * 100, 2),
         text::fixed(row.average_ns * 1e-6, 4), text::fixed(row.p50_ns * 1e-6, 4),
         text::fixed(row.p90_ns * 1e-6, 4), trace::extent_text(row.launch.grid),
         trace::extent_text(row.launch.block), std::to_string(row.launch.registers),
         std::to_string(row.launch.shared_memory), std::to_string(row.launches),
         held ? text::fixed(held->share * 100, 1) : "", held ? limit_words(held->limit) : "",
         tensor_core_word(row.tensor_cores), std::string(strings.view(row.launch.op)),
         row.op_flops > 0 ? text::fixed(row.op_flops * 1e-9, 3) : "",
         row.op_input_bytes > 0 ? text::fixed(row.op_input_bytes, 0) : ""});
  }
  return text;
}

nlohmann::json kernels_json(const run::Run& run, const base::StringTable& strings) {
  const stats::KernelTable table = stats::kernel_table(run.trace, run.launches, strings);
  if (table.devices.empty()) return nullptr;
  auto devices = nlohmann::json::array();
  for (const stats::DeviceUse& use : table.devices) devices.push_back(device_json(use));
  auto kernels = nlohmann::json::array();
  const std::string capability = compute_capability(run);
  for (const stats::KernelRow& row : table.rows) {
    kernels.push_back(row_json(row, strings, capability));
  }
  return {{"steps", table.steps}, {"devices", std::move(devices)}, {"kernels", std::move(kernels)}};
}

}  // namespace ts::report
