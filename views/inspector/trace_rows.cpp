#include "views/inspector/trace_rows.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/files/opened_trace.h"
#include "core/text/numbers.h"
#include "views/common/spec_text.h"

namespace ts::views {
namespace {

std::int64_t calls_of(const std::vector<trace_file::NameTotal>& totals) {
  return std::accumulate(totals.begin(), totals.end(), std::int64_t{0},
                         [](std::int64_t sum, const auto& total) { return sum + total.count; });
}

text::Quantity time_of(std::int64_t nanoseconds) {
  return text::duration_ns(static_cast<double>(nanoseconds));
}

// The devices of one name are one row, with their number.
std::vector<InspectorRow> device_rows(const text::Texts& texts,
                                      const std::vector<std::string>& devices) {
  std::vector<InspectorRow> rows;
  std::vector<std::string> told;
  for (const std::string& name : devices) {
    if (name.empty() || std::ranges::find(told, name) != told.end()) continue;
    told.push_back(name);
    const auto count = std::ranges::count(devices, name);
    rows.push_back(
        {texts("file.device"),
         {count == 1 ? name
                     : texts("trace.devices", {{"count", text::grouped(count)}, {"name", name}}),
          ""}});
  }
  return rows;
}

// Busy share of the span, in percent.
std::string busy_share(const trace_file::TraceSummary& summary) {
  constexpr double kPercent = 100;
  const auto span = static_cast<double>(std::max<std::int64_t>(summary.span_ns, 1));
  return text::decimal(kPercent * static_cast<double>(summary.gpu_busy_ns) / span, 1);
}

// The time in which a kernel or a copy ran; of several devices the mean, and each.
void add_busy(const text::Texts& texts, const trace_file::TraceSummary& summary,
              std::vector<InspectorRow>& rows) {
  constexpr std::size_t kMostDevices = 16;
  const auto& devices = summary.devices;
  if (devices.empty()) return;
  if (devices.size() == 1) {
    rows.push_back({texts("trace.busy"), time_of(summary.gpu_busy_ns)});
    return;
  }
  rows.push_back({texts("trace.busy_mean", {{"count", text::grouped(std::ssize(devices))}}),
                  time_of(summary.gpu_busy_ns)});
  for (std::size_t i = 0; i < std::min(devices.size(), kMostDevices); ++i) {
    const std::string number = std::to_string(devices[i].device);
    rows.push_back({texts("trace.busy_of", {{"device", number}}), time_of(devices[i].busy_ns())});
  }
}

// A time of the GPU in its four parts, each with its share; of several devices the mean.
void add_parts(const text::Texts& texts, const trace_file::DeviceTime& time,
               std::vector<InspectorRow>& rows) {
  const std::int64_t whole = std::max<std::int64_t>(time.busy_ns() + time.idle_ns, 1);
  const auto add = [&](const char* key, std::int64_t part) {
    const double percent = 100 * static_cast<double>(part) / static_cast<double>(whole);
    rows.push_back({texts(key), {time_of(part).joined() + ", " + text::decimal(percent, 1), "%"}});
  };
  add("trace.compute", time.compute_ns);
  if (time.exposed_communication_ns > 0)
    add("trace.exposed_communication", time.exposed_communication_ns);
  add("trace.exposed_copy", time.exposed_copy_ns);
  add("trace.idle", time.idle_ns);
}

// The place whose memory is shown, where there are several.
void add_memory(const text::Texts& texts, const files::ShownMemory& memory,
                std::vector<InspectorRow>& rows) {
  if (memory.places < 2) return;
  std::string place = memory.rank;
  if (memory.device >= 0) {
    if (!place.empty()) place += ", ";
    place += "GPU " + std::to_string(memory.device);
  }
  if (place.empty()) place = texts("trace.memory_host");
  rows.push_back(
      {texts("trace.memory"),
       {texts("trace.memory_of", {{"place", place}, {"count", text::grouped(memory.places)}}),
        ""}});
}

// The step of the profiler that a slice shows; times of a trace in the window count from its
// first event.
const trace_file::StepSpan* step_of(const ViewContext& context, const trace::Slice& slice) {
  for (const trace_file::StepSpan& step : context.trace->summary.steps) {
    if (step.name == slice.name && step.duration_ns == slice.duration_ns) return &step;
  }
  return nullptr;
}

// The verdict of a recording, of a script or a workload.
FileVerdict recording_verdict(const ViewContext& context) {
  const run::Run& run = context.trace->run;
  FileVerdict verdict;
  verdict.out_of_memory = run.verdict == run::Verdict::oom;
  verdict.faulty = !context.trace->about.fault.empty() || run.verdict == run::Verdict::failed;
  const std::string name = run.script.empty() ? spec::to_string(run.spec.workload) : run.script;
  verdict.sentence =
      context.texts("recording.verdict", {{"name", name},
                                          {"steps", text::grouped(std::ssize(run.recorded_steps))},
                                          {"size", text::bytes(run.peak_allocated()).joined()}});
  if (!run.finished) {
    verdict.remark = context.texts("live.goes_on");
  } else if (run.verdict != run::Verdict::ok) {
    verdict.remark = message_text(context.texts, run.failure);
  } else if (verdict.faulty) {
    verdict.remark = message_text(context.texts, context.trace->about.fault);
  }
  return verdict;
}

}  // namespace

TraceCalls trace_calls(const ViewContext& context) {
  if (context.trace == nullptr) return {};
  const trace_file::TraceSummary& summary = context.trace->summary;
  return {.operators = calls_of(summary.operators), .kernels = calls_of(summary.kernels)};
}

std::vector<InspectorRow> trace_rows(const ViewContext& context) {
  if (context.trace == nullptr) return {};
  const trace_file::TraceFile& file = context.trace->about;
  const trace_file::TraceSummary& summary = context.trace->summary;
  const auto& texts = context.texts;
  std::vector<InspectorRow> rows;
  const auto add = [&](const char* key, text::Quantity value) {
    rows.push_back({texts(key), std::move(value)});
  };
  const auto add_count = [&](const char* key, std::int64_t count) {
    add(key, {text::grouped(count), ""});
  };
  add("file.name", {context.trace->path.filename().string(), ""});
  const FileSize size{file.bytes, file.packed};
  if (size.known() || !context.trace->recording) {  // else it is not in a file
    add("file.folder", {context.trace->path.parent_path().string(), ""});
    rows.push_back(size_row(texts, size, file.fault));
  }
  for (InspectorRow& row : device_rows(texts, file.devices)) rows.push_back(std::move(row));
  if (file.rank >= 0) add_count("trace.rank", file.rank);
  if (!context.trace->run.script.empty()) add("recording.script", {context.trace->run.script, ""});
  if (context.trace->recording)
    add("file.peak_allocated", text::bytes(context.trace->run.peak_allocated()));
  add("file.span", time_of(summary.span_ns));
  add_count("file.events", static_cast<std::int64_t>(file.event_count));
  if (context.trace->recording && !context.trace->run.finished) {  // the others are told at its end
    add_count("trace.tracks", std::ssize(context.trace->run.trace.tracks()));
    add_count("trace.steps", std::ssize(context.trace->run.recorded_steps));
    return rows;
  }
  add_count("trace.tracks", static_cast<std::int64_t>(file.tracks.size()));
  add_count("trace.steps", static_cast<std::int64_t>(summary.steps.size()));
  add_count("trace.operators", calls_of(summary.operators));
  add_count("trace.kernels", calls_of(summary.kernels));
  add_busy(texts, summary, rows);
  if (!summary.devices.empty()) add_parts(texts, summary.gpu, rows);
  add_memory(texts, context.trace->memory, rows);
  return rows;
}

std::vector<InspectorRow> step_rows(const ViewContext& context, const trace::Slice& slice) {
  if (context.trace == nullptr) return {};
  const trace_file::StepSpan* const step = step_of(context, slice);
  if (step == nullptr) return {};
  std::vector<InspectorRow> rows;
  rows.push_back({context.texts("trace.operators"), {text::grouped(step->operators), ""}});
  rows.push_back({context.texts("trace.step_launches"), {text::grouped(step->launches), ""}});
  if (!context.trace->summary.devices.empty()) add_parts(context.texts, step->gpu, rows);
  return rows;
}

FileVerdict trace_verdict(const ViewContext& context) {
  if (context.trace->recording) return recording_verdict(context);
  const trace_file::TraceFile& file = context.trace->about;
  const trace_file::TraceSummary& summary = context.trace->summary;
  const std::string span = time_of(summary.span_ns).joined();
  FileVerdict verdict;
  verdict.faulty = !file.fault.empty();
  // Kernels of a part by numbers of events may be missing.
  const bool share_known = summary.gpu_busy_ns > 0 && !summary.by_number;
  if (!share_known) {
    verdict.sentence = context.texts("trace.verdict.span", {{"span", span}});
  } else if (summary.devices.size() == 1) {
    verdict.sentence =
        context.texts("trace.verdict.busy", {{"share", busy_share(summary)}, {"span", span}});
  } else {
    verdict.sentence = context.texts("trace.verdict.busy_mean",
                                     {{"count", text::grouped(std::ssize(summary.devices))},
                                      {"share", busy_share(summary)},
                                      {"span", span}});
  }
  verdict.remark = verdict.faulty
                       ? message_text(context.texts, file.fault)
                       : context.texts("trace.verdict.counts",
                                       {{"kernels", text::grouped(calls_of(summary.kernels))},
                                        {"operators", text::grouped(calls_of(summary.operators))}});
  return verdict;
}

}  // namespace ts::views
