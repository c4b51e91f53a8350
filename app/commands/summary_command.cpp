#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/output/file_summary.h"

namespace ts::app {
namespace {

struct SummaryCommand {
  std::filesystem::path file;
  bool json = false;
};

using Json = nlohmann::json;

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
    print_row(title_of(key).c_str(), in_words(key, value));
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

// Prints a summary of a file. Returns 2 when it cannot be read.
int summarise(const SummaryCommand& command) {
  auto json = summary_of(command.file);
  if (!json) return report(json.error().sentence, 2);
  if (json->contains("fault")) report((*json)["fault"].get<std::string>(), 0);
  (*json)["file"] = command.file.string();
  if (command.json) {
    print_json(*json);
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
