#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/output/file_summary.h"
#include "app/output/sweep_files.h"
#include "core/io/file_kind.h"
#include "core/io/json_parse.h"
#include "core/io/json_scanner.h"
#include "core/io/unpack.h"
#include "core/run/recording.h"
#include "core/sweep/sweep_journal.h"
#include "core/trace_file/trace_read.h"

namespace ts::app {
namespace {

struct SummaryCommand {
  std::filesystem::path file;
  bool json = false;
};

using Json = nlohmann::json;

constexpr const char* kRunName = "run.json";

// What run.json says first.
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

Json recording_json(const run::Run& run) {
  return {{"kind", "recording"},
          {"workload", spec::to_string(run.spec.workload)},
          {"recorded_steps", run.recorded_steps.size()},
          {"timed_steps", run.timed_steps.size()},
          {"slices", run.trace.slice_count()},
          {"events", run.memory.events().size()},
          {"peak_allocated", run.peak_allocated()},
          {"complete", true}};
}

base::Result<Json> sweep_json(const std::filesystem::path& path) {
  const auto content = sweep::read_journal(journal_of(path));
  if (!content) return base::fail(content.error().sentence);
  auto axes = Json::array();
  for (const auto& axis : content->spec.axes) axes.push_back(spec::field_name(axis.field));
  return Json{{"kind", "sweep"},
              {"workload", spec::to_string(content->spec.base.workload)},
              {"axes", axes},
              {"points_run", content->points.size()},
              {"identity", content->identity},
              {"complete", content->complete_bytes == content->bytes}};
}

base::Result<Json> other_json(const std::filesystem::path& path, std::string_view content) {
  if (path.extension() == ".recording") {
    base::StringTable strings;
    const auto run = run::read_recording(content, 1, strings);
    if (!run) return base::fail(run.error().sentence);
    return recording_json(**run);
  }
  const auto json = io::parse_json(content);
  const auto has = [&](const char* key) { return json->contains(key) && (*json)[key].is_object(); };
  if (json && json->is_object() && has("spec") && has("memory")) return run_json(*json);
  return base::fail(fmt::format(
      "{} is neither a memory snapshot, a trace of a profiler, nor a run or sweep of Tensorscope.",
      path.string()));
}

// Of a file that may be packed.
base::Result<Json> file_json(const std::filesystem::path& path) {
  auto unpacked = io::read_unpacked(path);
  if (!unpacked) return base::fail(unpacked.error().sentence);
  const std::string_view text = io::padded(unpacked->content);
  const io::FileKind kind = io::kind_of(text);
  if (kind == io::FileKind::other) return other_json(path, text);
  unpacked->content.resize(text.size());
  const auto finish = [&](auto file) -> base::Result<Json> {
    if (!file) {
      return base::fail(fmt::format("Cannot read {}: {}.", path.string(), file.error().sentence));
    }
    if (!unpacked->fault.empty()) file->fault = unpacked->fault;
    if (!file->fault.empty()) {
      file->fault = fmt::format("Read only a part of {}: {}.", path.string(), file->fault);
    }
    return summary_json(*file);
  };
  if (kind == io::FileKind::trace) {
    return finish(trace_file::parse_trace(std::move(unpacked->content)));
  }
  return finish(snapshot::parse_snapshot(std::move(unpacked->content)));
}

base::Result<Json> any_json(const std::filesystem::path& path) {
  if (is_sweep(path)) return sweep_json(path);
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return file_json(path);
  if (std::filesystem::exists(path / kRunName, ignored)) return file_json(path / kRunName);
  return base::fail("The folder " + path.string() + " holds neither a run nor a sweep.");
}

std::string in_words(const std::string& key, const Json& value) {
  if (value.is_string()) return text::printable(value.get<std::string>());
  if (value.is_null()) return text::kNoNumber;
  if (key.ends_with("_us")) return text::duration_ns(value.get<double>() * 1e3).joined();
  if (key == "step_ms") return text::duration_ns(value.get<double>() * 1e6).joined();
  if (key.starts_with("peak_") || key == "bytes") return size_in_words(value.get<std::int64_t>());
  if (value.is_number_integer()) return text::grouped(value.get<std::int64_t>());
  return value.dump();
}

void print_totals(const char* title, const Json& rows) {
  constexpr std::size_t kMost = 15;
  if (rows.empty()) return;
  std::printf("\n%s\n  %12s %10s %12s  name\n", title, "total", "count", "mean");
  for (std::size_t i = 0; i < std::min(rows.size(), kMost); ++i) {
    const Json& row = rows[i];
    std::printf("  %12s %10s %12s  %s\n", in_words("total_us", row["total_us"]).c_str(),
                in_words("count", row["count"]).c_str(),
                in_words("mean_us", row["mean_us"]).c_str(), in_words("name", row["name"]).c_str());
  }
  if (rows.size() > kMost) std::printf("  ... and %zu more\n", rows.size() - kMost);
}

void print_devices(const Json& devices) {
  for (const Json& device : devices) {
    if (!device.is_object()) continue;
    std::printf("  device %s: %s events, %s segments, allocated up to %s, reserved up to %s\n",
                in_words("device", device["device"]).c_str(),
                in_words("events", device["events"]).c_str(),
                in_words("segments", device["segments"]).c_str(),
                in_words("peak_", device["peak_allocated"]).c_str(),
                in_words("peak_", device["peak_reserved"]).c_str());
  }
}

void print(const SummaryCommand& command, const Json& json) {
  std::printf("%s\n", text::printable(command.file.string()).c_str());
  for (const auto& [key, value] : json.items()) {
    if (value.is_structured() || key == "fault" || key == "complete") continue;
    print_row(key.c_str(), in_words(key, value));
  }
  if (json.contains("actions")) {
    for (const auto& [action, count] : json["actions"].items())
      print_row(action.c_str(), in_words("count", count));
  }
  if (json["kind"] == "snapshot") print_devices(json["devices"]);
  if (json["kind"] != "trace") return;
  print_row("steps", in_words("count", json["steps"].size()));
  print_totals("Kernels", json["kernels"]);
  print_totals("Operators", json["operators"]);
}

// Says what is in a file. 2 for one that cannot be read.
int summarise(const SummaryCommand& command) {
  auto json = any_json(command.file);
  if (!json) return report(json.error().sentence, 2);
  if (json->contains("fault")) report((*json)["fault"].get<std::string>(), 0);
  (*json)["file"] = command.file.string();
  if (command.json) {
    constexpr int kIndent = 2;
    std::printf("%s\n", json->dump(kIndent, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    json->erase("file");
    print(command, *json);
  }
  return 0;
}

}  // namespace

ParsedCommand summary_command(CLI::App& app) {
  const auto options = std::make_shared<SummaryCommand>();
  app.add_option("FILE", options->file,
                 "Memory snapshot, trace of a profiler, run or sweep; packed by gzip or not")
      ->option_text(" ")
      ->required();
  app.add_flag("--json", options->json, "Print one JSON document on standard output");
  return parsed_command(options, summarise);
}

}  // namespace ts::app
