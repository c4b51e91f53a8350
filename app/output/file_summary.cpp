#include "app/output/file_summary.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <string>
#include <system_error>
#include <utility>

#include "app/output/sweep_files.h"
#include "core/checks/trace_checks.h"
#include "core/files/cut.h"
#include "core/files/opened_recording.h"
#include "core/files/rank_folder.h"
#include "core/findings/script_findings.h"
#include "core/io/file.h"
#include "core/io/file_kind.h"
#include "core/io/input.h"
#include "core/io/json_parse.h"
#include "core/report/checks.h"
#include "core/run/recording.h"
#include "core/snapshot/snapshot_read.h"
#include "core/sweep/sweep_journal.h"
#include "core/text/message.h"
#include "core/trace_file/trace_read.h"

namespace ts::app {
namespace {

constexpr double kPerMicrosecond = 1000;

double microseconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / kPerMicrosecond;
}

void add_fault(nlohmann::json& json, const base::Message& fault) {
  json["complete"] = fault.empty();
  if (!fault.empty()) json["fault"] = fault.sentence;
}

nlohmann::json device_json(const allocator::Snapshot& snapshot, const files::OpenedDevice& opened) {
  const auto segments =
      std::ranges::count(snapshot.segments, opened.number, &allocator::SnapshotSegment::device);
  const auto& guessed = opened.guessed_share;
  return {{"device", opened.number},
          {"events", opened.trace_events},
          {"segments", segments},
          {"peak_allocated", opened.run.memory.peak_bytes()},
          {"end_allocated", opened.run.memory.current_bytes()},
          {"peak_reserved", opened.peak_reserved},
          {"end_reserved", opened.end_reserved},
          {"guessed_share", guessed ? nlohmann::json(*guessed) : nlohmann::json()}};
}

// Those that lie in the range that was asked for, and what else is counted.
void add_range(nlohmann::json& json, const base::RangeEvents& events) {
  json["in_range"] = {{"events", events.inside}, {"earlier", events.before}};
}

// That of the device where it is largest, of equal ones the first.
struct LargestPeak {
  std::int64_t bytes = 0;
  nlohmann::json device = nullptr;  // its number; null: none has any
  void take(const nlohmann::json& of, const char* key) {
    const auto peak = of[key].get<std::int64_t>();
    if (peak <= bytes) return;
    bytes = peak;
    device = of["device"];
  }
};

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

// The four parts of a time of a device.
nlohmann::json time_json(const trace_file::DeviceTime& time) {
  return {{"compute_us", microseconds(time.compute_ns)},
          {"exposed_communication_us", microseconds(time.exposed_communication_ns)},
          {"exposed_copy_us", microseconds(time.exposed_copy_ns)},
          {"idle_us", microseconds(time.idle_ns)}};
}

// Those that ran a kernel.
nlohmann::json busy_json(const trace_file::TraceSummary& summary) {
  auto rows = nlohmann::json::array();
  for (const trace_file::DeviceBusy& device : summary.devices) {
    rows.push_back({{"device", device.device},
                    {"kernels", device.kernels},
                    {"busy_us", microseconds(device.busy_ns())}});
    rows.back().update(time_json(device.time));
    if (!device.rank.empty()) rows.back()["rank"] = device.rank;
  }
  return rows;
}

nlohmann::json steps_json(const trace_file::TraceSummary& summary,
                          const base::StringTable& strings) {
  auto rows = nlohmann::json::array();
  for (const trace_file::StepSpan& step : summary.steps) {
    rows.push_back({{"name", strings.view(step.name)},
                    {"begin_us", microseconds(step.begin_ns)},
                    {"dur_us", microseconds(step.duration_ns)},
                    {"operators", step.operators},
                    {"launches", step.launches},
                    {"gpu", nullptr}});
    if (!summary.devices.empty()) rows.back()["gpu"] = time_json(step.gpu);
    if (!step.rank.empty()) rows.back()["rank"] = step.rank;
  }
  return rows;
}

nlohmann::json number_or_null(std::int64_t number) {
  if (number == trace_file::kNoNumber) return nullptr;
  return number;
}

using Json = nlohmann::json;

constexpr const char* kRunName = "run.json";

// The summary of run.json.
Json run_json(const Json& run) {
  Json json = {{"kind", "run"}, {"workload", run["spec"].value("workload", "")}};
  for (const char* const key : {"verdict", "sentence", "backend_ran"}) {
    if (run.contains(key)) json[key] = run[key];
  }
  if (run.contains("step_ms") && run["step_ms"].is_object()) {
    json["step_ms"] = run["step_ms"].value("median", Json());
  }
  for (const char* const key : {"events", "peak_allocated", "peak_reserved"}) {
    json[key] = run["memory"].value(key, Json());
  }
  json["complete"] = true;
  return json;
}

Json recording_json(const run::Run& run, const base::StringTable& strings) {
  Json json = {{"kind", "recording"},
               {"recorded_steps", run.recorded_steps.size()},
               {"slices", run.trace.slice_count()},
               {"events", run.memory.events().size()},
               {"peak_allocated", run.peak_allocated()},
               {"verdict", run::to_string(run.verdict)},
               {"lost", run.dropped}};
  if (run.script.empty()) json["timed_steps"] = run.timed_steps.size();  // a script has none
  if (!run.device_name.empty()) json["device"] = run.device_name;
  add_fault(json, run::is_cut_off(run) ? run::cut_off() : base::Message{});
  if (run.script.empty()) {
    json["workload"] = spec::to_string(run.spec.workload);
  } else {
    json["script"] = run.script;
    json["findings"] = report::to_json(findings::of_script(run, strings));
  }
  if (run.verdict != run::Verdict::ok) json["sentence"] = run.failure.sentence;
  return json;
}

base::Result<FileSummary> summary_of_recording(const std::filesystem::path& path,
                                               const std::string& content) {
  base::StringTable strings;
  const auto run = run::read_recording(content, 1, strings);
  if (!run)
    return text::fail("recording_error.not_shown",
                      {{"path", path.string()}, text::argument("reason", run.error())});
  return FileSummary{
      recording_json(**run, strings),
      files::opened_snapshot(path, files::snapshot_of_run(**run, strings, content.size()))};
}

base::Result<Json> sweep_json(const std::filesystem::path& path) {
  TS_TRY(const auto content, sweep::read_journal(journal_of(path)));
  auto axes = Json::array();
  for (const auto& axis : content.spec.axes) axes.push_back(spec::field_name(axis.field));
  return Json{{"kind", "sweep"},
              {"workload", spec::to_string(content.spec.base.workload)},
              {"axes", axes},
              {"points_run", content.points.size()},
              {"identity", content.identity},
              {"complete", content.complete_bytes == content.bytes}};
}

base::Result<Json> other_json(const std::filesystem::path& path, std::string_view content) {
  const auto json = io::parse_json(content);
  const auto has = [&](const char* key) { return json->contains(key) && (*json)[key].is_object(); };
  if (json && json->is_object() && has("spec") && has("memory")) return run_json(*json);
  return text::fail("file_error.unknown", {{"path", path.string()}});
}

base::Result<FileSummary> alone(base::Result<Json> json) {
  if (!json) return tl::unexpected(json.error());
  return FileSummary{std::move(*json), nullptr};
}

base::Result<FileSummary> summary_of_snapshot(const std::filesystem::path& path, io::Input& input,
                                              const FileQuestion& question) {
  TS_TRY(auto file, snapshot::read_snapshot(path, input, nullptr, question.range));
  files::cut(file, question.range);
  TS_TRY(auto opened, asked_part(files::opened_snapshot(path, std::move(file)), question));
  return FileSummary{summary_json(*opened), std::move(opened)};
}

// All of a file that is no larger than a run's; nothing where it cannot be one.
std::string content_of_run(io::Input& input) {
  constexpr std::size_t kMost = std::size_t{64} << 20U;
  std::string all;
  do {
    all += input.text();
  } while (all.size() <= kMost && input.more(input.text().size()));
  return all.size() <= kMost ? all : std::string();
}

FileSummary summary_of_trace(trace_file::TraceFile file, const FileQuestion& question) {
  FileSummary summary{summary_json(file), nullptr};
  if (!question.keep_traces) return summary;
  if (auto trace = files::open_trace(std::move(file), 1))
    summary.trace = std::make_unique<files::OpenedTrace>(std::move(*trace));
  return summary;
}

// The summary of a file that may be compressed.
base::Result<FileSummary> summary_of_file(const std::filesystem::path& path,
                                          const FileQuestion& question) {
  TS_TRY(auto input, io::Input::open(path));
  const io::FileKind kind = io::kind_of(input);
  if (kind == io::FileKind::snapshot) return summary_of_snapshot(path, input, question);
  if (!question.part.is_all()) return only_of_snapshots(path);
  if (kind == io::FileKind::recording || kind == io::FileKind::other) {
    if (!question.range.is_all()) return only_of_events(path);
    const bool other = kind == io::FileKind::other;
    const std::string content = other ? content_of_run(input) : input.rest();
    if (input.problem()) return tl::unexpected(*input.problem());
    if (other) return alone(other_json(path, content));
    return summary_of_recording(path, content);
  }
  TS_TRY(auto trace, trace_file::read_trace(path, input, question.range));
  return summary_of_trace(std::move(trace), question);
}

}  // namespace

nlohmann::json summary_json(const files::OpenedFile& opened) {
  const snapshot::SnapshotFile& file = opened.file;
  const allocator::Snapshot& snapshot = file.snapshot;
  std::map<std::string, std::int64_t, std::less<>> actions;
  std::array<std::int64_t, allocator::kTraceActionCount> known{};  // by action
  for (const auto& trace : snapshot.device_traces) {
    for (const allocator::TraceEntry& entry : trace) {
      if (entry.action == allocator::TraceAction::other) {
        ++actions[std::string(snapshot.action_name(entry))];
      } else {
        ++known[static_cast<std::size_t>(entry.action)];
      }
    }
  }
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i] > 0) actions.emplace(to_string(static_cast<allocator::TraceAction>(i)), known[i]);
  }
  auto devices = nlohmann::json::array();
  LargestPeak peak_allocated;
  LargestPeak peak_reserved;
  for (const files::OpenedDevice& device : opened.devices) {
    devices.push_back(device_json(snapshot, device));
    peak_allocated.take(devices.back(), "peak_allocated");
    peak_reserved.take(devices.back(), "peak_reserved");
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
                         {"peak_allocated", peak_allocated.bytes},
                         {"peak_allocated_device", peak_allocated.device},
                         {"peak_reserved", peak_reserved.bytes},
                         {"peak_reserved_device", peak_reserved.device},
                         {"devices", devices},
                         {"annotations", snapshot.external_annotations.size()}};
  if (!file.in_range.empty())
    add_range(json,
              std::accumulate(file.in_range.begin(), file.in_range.end(), base::RangeEvents()));
  add_fault(json, file.fault);
  return json;
}

nlohmann::json summary_json(const trace_file::TraceFile& file) {
  return summary_json(file, trace_file::summary_of(file));
}

nlohmann::json summary_json(const trace_file::TraceFile& file,
                            const trace_file::TraceSummary& summary) {
  nlohmann::json json = {{"kind", "trace"},
                         {"bytes", file.bytes},
                         {"events", file.event_count},
                         {"kernels", totals_json(summary.kernels, *file.strings)},
                         {"operators", totals_json(summary.operators, *file.strings)},
                         {"steps", steps_json(summary, *file.strings)},
                         {"gpu_busy_us", microseconds(summary.gpu_busy_ns)},
                         {"gpu_time", time_json(summary.gpu)},
                         {"gpu_busy_by_device", busy_json(summary)},
                         {"span_us", microseconds(summary.span_ns)},
                         {"tracks", file.tracks.size()},
                         {"flows", file.flows.size()},
                         {"memory_events", file.memory.size()},
                         {"schema", number_or_null(file.schema)},
                         {"devices", file.devices},
                         {"rank", number_or_null(file.rank)},
                         {"checks", report::to_json(checks::of_trace(summary, file.fault))}};
  if (file.window || file.by_number) add_range(json, {.inside = file.in_range, .before = 0});
  add_fault(json, file.fault);
  return json;
}

base::Result<FileSummary> summary_of(const std::filesystem::path& path,
                                     const FileQuestion& question) {
  if (auto other = file_of_other_commands(path)) return tl::unexpected(std::move(*other));
  std::error_code ignored;
  const bool run = std::filesystem::exists(path / kRunName, ignored);
  if (is_sweep(path)) {
    if (!question.of_all()) return only_of_events(path);
    return alone(sweep_json(path));
  }
  if (!std::filesystem::is_directory(path, ignored)) return summary_of_file(path, question);
  if (run) return summary_of_file(path / kRunName, question);
  if (!question.part.is_all()) return only_of_snapshots(path);
  if (!question.range.is_all()) return only_of_events(path);
  TS_TRY(auto ranks, files::read_ranks(path));
  return summary_of_trace(std::move(ranks), question);
}

}  // namespace ts::app
