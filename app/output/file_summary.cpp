#include "app/output/file_summary.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "core/allocator/snapshot_figures.h"

namespace ts::app {
namespace {

constexpr double kPerMicrosecond = 1000;

double microseconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / kPerMicrosecond;
}

void add_fault(nlohmann::json& json, const std::string& fault) {
  json["complete"] = fault.empty();
  if (!fault.empty()) json["fault"] = fault;
}

nlohmann::json device_json(const allocator::Snapshot& snapshot, std::size_t device) {
  const auto allocated = allocator::allocated_bytes(snapshot, device);
  const auto reserved = allocator::reserved_bytes(snapshot, device);
  const auto segments = std::ranges::count(snapshot.segments, static_cast<std::int64_t>(device),
                                           &allocator::SnapshotSegment::device);
  const bool traced = device < snapshot.device_traces.size();
  return {{"device", device},
          {"events", traced ? snapshot.device_traces[device].size() : 0},
          {"segments", segments},
          {"peak_allocated", allocated.peak},
          {"end_allocated", allocated.end},
          {"peak_reserved", reserved.peak},
          {"end_reserved", reserved.end}};
}

nlohmann::json totals_json(const std::vector<trace_file::NameTotal>& totals,
                           const base::StringTable& strings) {
  auto rows = nlohmann::json::array();
  for (const trace_file::NameTotal& total : totals) {
    rows.push_back({{"name", strings.view(total.name)},
                    {"count", total.count},
                    {"total_us", microseconds(total.total_ns)},
                    {"mean_us", microseconds(total.total_ns) / static_cast<double>(total.count)}});
  }
  return rows;
}

nlohmann::json number_or_null(std::int64_t number) {
  if (number == trace_file::kNoNumber) return nullptr;
  return number;
}

}  // namespace

nlohmann::json summary_json(const snapshot::SnapshotFile& file) {
  const allocator::Snapshot& snapshot = file.snapshot;
  std::map<std::string, std::int64_t, std::less<>> actions;
  for (const auto& trace : snapshot.device_traces) {
    for (const allocator::TraceEntry& entry : trace) {
      ++actions[std::string(snapshot.action_name(entry))];
    }
  }
  auto devices = nlohmann::json::array();
  std::int64_t peak_allocated = 0;
  std::int64_t peak_reserved = 0;
  for (const std::size_t device : allocator::devices_of(snapshot)) {
    devices.push_back(device_json(snapshot, device));
    peak_allocated = std::max(peak_allocated, devices.back()["peak_allocated"].get<std::int64_t>());
    peak_reserved = std::max(peak_reserved, devices.back()["peak_reserved"].get<std::int64_t>());
  }
  const std::string format = file.pickle_protocol == 0
                                 ? std::string("JSON")
                                 : "pickle " + std::to_string(file.pickle_protocol);
  nlohmann::json json = {{"kind", "snapshot"},
                         {"format", format},
                         {"bytes", file.bytes},
                         {"events", snapshot.entry_count()},
                         {"actions", actions},
                         {"segments", snapshot.segments.size()},
                         {"peak_allocated", peak_allocated},
                         {"peak_reserved", peak_reserved},
                         {"devices", devices},
                         {"annotations", snapshot.external_annotations.size()}};
  add_fault(json, file.fault);
  return json;
}

nlohmann::json summary_json(const trace_file::TraceFile& file) {
  const trace_file::TraceSummary summary = trace_file::summary_of(file);
  auto steps = nlohmann::json::array();
  for (const trace_file::StepSpan& step : summary.steps) {
    steps.push_back({{"name", file.strings->view(step.name)},
                     {"begin_us", microseconds(step.begin_ns)},
                     {"dur_us", microseconds(step.duration_ns)}});
  }
  nlohmann::json json = {{"kind", "trace"},
                         {"bytes", file.bytes},
                         {"events", file.event_count},
                         {"kernels", totals_json(summary.kernels, *file.strings)},
                         {"operators", totals_json(summary.operators, *file.strings)},
                         {"steps", steps},
                         {"gpu_busy_us", microseconds(summary.gpu_busy_ns)},
                         {"span_us", microseconds(summary.span_ns)},
                         {"tracks", file.tracks.size()},
                         {"flows", file.flows.size()},
                         {"memory_events", file.memory.size()},
                         {"schema", number_or_null(file.schema)},
                         {"devices", file.devices},
                         {"rank", number_or_null(file.rank)}};
  add_fault(json, file.fault);
  return json;
}

}  // namespace ts::app
