#include "core/report/kernel_report.h"

#include <array>
#include <utility>
#include <vector>

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

// The content of a cell as JSON. Null: it is not known.
struct JsonCell {
  const KernelColumn& column;
  const base::StringTable& strings;

  nlohmann::json operator()(double number) const {
    return text::number_in_json(column.unit, number);
  }
  nlohmann::json operator()(base::StringId name) const { return std::string(strings.view(name)); }
  nlohmann::json operator()(const LaunchExtent& extent) const { return extent; }
  nlohmann::json operator()(trace::TensorCores used) const {
    if (used == trace::TensorCores::unknown) return nullptr;
    return used == trace::TensorCores::yes;
  }
  nlohmann::json operator()(const std::optional<stats::Occupancy>& held) const {
    if (!held) return nullptr;
    return held->share;
  }
  nlohmann::json operator()(std::optional<stats::OccupancyLimit> limit) const {
    if (!limit) return nullptr;
    return limit_text(*limit);
  }
};

// The same in files.
struct FileCell {
  const KernelColumn& column;
  const base::StringTable& strings;

  std::string operator()(double number) const { return text::number_in_files(column.unit, number); }
  std::string operator()(base::StringId name) const { return std::string(strings.view(name)); }
  std::string operator()(const LaunchExtent& extent) const { return trace::extent_text(extent); }
  std::string operator()(trace::TensorCores used) const {
    if (used == trace::TensorCores::unknown) return "unknown";
    return used == trace::TensorCores::yes ? "yes" : "no";
  }
  std::string operator()(const std::optional<stats::Occupancy>& held) const {
    return held ? text::fixed(held->share * 100, 1) : std::string();
  }
  std::string operator()(std::optional<stats::OccupancyLimit> limit) const {
    return limit ? limit_text(*limit) : std::string();
  }
};

}  // namespace

std::string compute_capability(const run::Run& run) {
  return run.card ? run.card->compute_capability : std::string();
}

std::string limit_text(stats::OccupancyLimit limit) {
  return limit == stats::OccupancyLimit::shared_memory ? "shared memory" : to_string(limit);
}

io::TextTable kernel_text(const stats::KernelTable& table, const base::StringTable& strings,
                          const std::string& capability) {
  io::TextTable text;
  io::add_columns(text, kKernelColumns);
  for (const stats::KernelRow& row : table.rows) {
    const KernelFacts facts{row, stats::occupancy(capability, row.launch)};
    std::vector<std::string> cells;
    for (const KernelColumn& column : kKernelColumns)
      cells.push_back(std::visit(FileCell{column, strings}, column.value(facts)));
    text.rows.push_back(std::move(cells));
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
    const KernelFacts facts{row, stats::occupancy(capability, row.launch)};
    auto one = nlohmann::json::object();
    for (const KernelColumn& column : kKernelColumns)
      one[column.key] = std::visit(JsonCell{column, strings}, column.value(facts));
    kernels.push_back(std::move(one));
  }
  return {{"steps", table.steps}, {"devices", std::move(devices)}, {"kernels", std::move(kernels)}};
}

}  // namespace ts::report
