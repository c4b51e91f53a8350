#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/output/block_json.h"
#include "app/output/file_question.h"
#include "app/output/file_summary.h"
#include "core/base/memory_pages.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

struct SummaryCommand {
  std::filesystem::path file;
  std::optional<std::string> by;  // a name of blocks::kGroupNames
  std::string weight = "peak";
  bool growth = false;
  bool json = false;
  PartOptions part;
};

using Json = nlohmann::json;

std::string as_text(const std::string& key, const Json& value) {
  if (value.is_string()) return text::printable(value.get<std::string>());
  if (value.is_null()) return text::kNoNumber;
  if (key.ends_with("_us")) return text::duration_ns(value.get<double>() * 1e3).joined();
  if (key == "step_ms") return text::duration_ns(value.get<double>() * 1e6).joined();
  if (key.starts_with("peak_") || key == "bytes") return size_as_text(value.get<std::int64_t>());
  if (value.is_number_integer()) return text::grouped(value.get<std::int64_t>());
  return value.dump();
}

// The first rows of a table, at most so many; `print_row_of` prints one.
void print_rows(const Json& rows, std::size_t most,
                const std::function<void(const Json&)>& print_row_of) {
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) print_row_of(rows[i]);
  if (rows.size() > most) std::printf("  ... and %zu more\n", rows.size() - most);
}

constexpr std::size_t kMostBlocks = 25;

void print_totals(const char* title, const Json& rows) {
  if (rows.empty()) return;
  std::printf("\n%s\n  %12s %10s %12s  name\n", title, "total", "count", "mean");
  print_rows(rows, 15, [](const Json& row) {
    std::printf("  %12s %10s %12s  %s\n", as_text("total_us", row["total_us"]).c_str(),
                as_text("count", row["count"]).c_str(), as_text("mean_us", row["mean_us"]).c_str(),
                as_text("name", row["name"]).c_str());
  });
}

void print_devices(const Json& devices) {
  for (const Json& device : devices) {
    if (!device.is_object()) continue;
    std::printf("  device %s: %s, %s, allocated up to %s, reserved up to %s\n",
                as_text("device", device["device"]).c_str(),
                text::counted(device["events"].get<std::int64_t>(), "event").c_str(),
                text::counted(device["segments"].get<std::int64_t>(), "segment").c_str(),
                as_text("peak_", device["peak_allocated"]).c_str(),
                as_text("peak_", device["peak_reserved"]).c_str());
    if (!device["guessed_share"].is_null()) {
      std::printf("    categories are guessed, of %.1f %% of the bytes at the peak\n",
                  100 * device["guessed_share"].get<double>());
    }
  }
}

// For a trace of several devices; the rows above tell about one.
void print_busy_devices(const Json& devices) {
  if (devices.size() < 2) return;
  for (const Json& device : devices) {
    std::printf("  GPU %s: work ran for %s, none for %s between its first and its last\n",
                as_text("device", device["device"]).c_str(),
                as_text("busy_us", device["busy_us"]).c_str(),
                as_text("idle_us", device["idle_us"]).c_str());
  }
}

constexpr std::array kTimeParts = {"compute_us", "exposed_communication_us", "exposed_copy_us",
                                   "idle_us"};

// The time of the GPU from its first work to its last, in four parts that add up to it.
void print_gpu_time(const Json& json) {
  if (json["gpu_busy_by_device"].empty()) return;
  double whole = 0;
  for (const char* const part : kTimeParts) whole += json["gpu_time"][part].get<double>();
  for (const char* const part : kTimeParts) {
    const Json& time = json["gpu_time"][part];
    print_row(("gpu " + title_of(part)).c_str(),
              as_text(part, time) + ", " +
                  text::decimal(100 * time.get<double>() / std::max(whole, 1e-3), 1) + " %");
  }
}

void print_steps(const Json& steps) {
  if (steps.empty()) return;
  std::printf("\nSteps, and what the GPU did meanwhile\n  %12s %12s %13s %12s %12s %9s %8s  name\n",
              "duration", "compute", "exposed comm.", "copies", "idle", "operators", "launches");
  print_rows(steps, 15, [](const Json& step) {
    const auto part = [&](std::size_t at) {
      const bool known = step["gpu"].is_object();
      return known ? as_text("_us", step["gpu"][kTimeParts[at]]) : std::string(text::kNoNumber);
    };
    std::printf("  %12s %12s %13s %12s %12s %9s %8s  %s\n", as_text("_us", step["dur_us"]).c_str(),
                part(0).c_str(), part(1).c_str(), part(2).c_str(), part(3).c_str(),
                as_text("", step["operators"]).c_str(), as_text("", step["launches"]).c_str(),
                (step.contains("rank") ? step["rank"].get<std::string>() + ": " : std::string())
                    .append(as_text("", step["name"]))
                    .c_str());
  });
}

std::string name_as_text(const Json& name) {
  return name.get<std::string>().empty() ? "(not known)" : text::printable(name.get<std::string>());
}

// "1.50 MiB s", or with few bytes for a short time "12.0 KiB us".
std::string byte_seconds_as_text(double weight) {
  using Unit = std::pair<double, const char*>;
  for (const auto& [each, name] : {Unit{1, " s"}, Unit{1e3, " ms"}}) {
    if (weight * each >= 1024) return size_as_text(std::llround(weight * each)) + name;
  }
  return size_as_text(std::llround(weight * 1e6)) + " us";
}

std::string byte_events_as_text(double weight) {
  return size_as_text(std::llround(weight)) + " events";
}

void print_blocks(const Json& table) {
  for (const Json& device : table["devices"]) {
    std::printf("\nDevice %s, %s, by %s\n", as_text("device", device["device"]).c_str(),
                table["weight"].get<std::string>().c_str(), table["by"].get<std::string>().c_str());
    std::printf("  %7s %12s %10s %12s  name\n", "share", "bytes", "blocks", "largest");
    const double total = std::max(device["total"].get<double>(), 1e-300);
    print_rows(device["rows"], kMostBlocks, [&](const Json& row) {
      const bool seconds = row.contains("byte_seconds");
      const bool times = seconds || row.contains("byte_events");
      const double weight = row[seconds ? "byte_seconds"
                                : times ? "byte_events"
                                        : "bytes"]
                                .get<double>();
      std::printf("  %5.1f %% %12s %10s %12s  %s\n", 100 * weight / total,
                  (seconds ? byte_seconds_as_text(weight)
                   : times ? byte_events_as_text(weight)
                           : size_as_text(static_cast<std::int64_t>(weight)))
                      .c_str(),
                  as_text("", row["blocks"]).c_str(), as_text("peak_", row["largest"]).c_str(),
                  name_as_text(row["name"]).c_str());
    });
  }
}

void print_growth(const Json& growth) {
  for (const Json& device : growth["devices"]) {
    const std::string number = as_text("device", device["device"]);
    if (!device["known"].get<bool>()) {
      std::printf(
          "\nDevice %s: growth cannot be told: at least 3 complete steps are needed, the recording "
          "has %s\n",
          number.c_str(), as_text("", device["steps"]).c_str());
      continue;
    }
    std::printf("\nDevice %s: after %s steps %s were alive, after the first of them %s\n",
                number.c_str(), as_text("", device["steps"]).c_str(),
                as_text("peak_", device["last_total"]).c_str(),
                as_text("peak_", device["first_total"]).c_str());
    if (device["rows"].empty()) std::printf("  Nothing grows from step to step.\n");
    print_rows(device["rows"], kMostBlocks, [&](const Json& row) {
      std::printf("  %12s a step, %s to %s blocks  %s\n",
                  size_as_text(std::llround(row["bytes_per_step"].get<double>())).c_str(),
                  as_text("", row["first_blocks"]).c_str(), as_text("", row["last_blocks"]).c_str(),
                  name_as_text(row["stack"]).c_str());
    });
  }
}

void print_findings(const Json& findings) {
  for (const Json& one : findings) {
    std::printf("\n%s %s\n    %s\n", one["check"].get<std::string>().c_str(),
                text::printable(one["found"].get<std::string>()).c_str(),
                one["why"].get<std::string>().c_str());
  }
}

// Whose peak it is, where there are several devices.
std::string device_as_text(const std::string& key, const Json& json) {
  const auto device = json.find(key + "_device");
  if (device == json.end() || device->is_null() || json["devices"].size() < 2) return "";
  return " on device " + as_text("device", *device);
}

std::string range_as_text(const Json& events) {
  const auto inside = events["events"].get<std::int64_t>();
  const auto earlier = events["earlier"].get<std::int64_t>();
  const std::string made = text::counted(earlier, "earlier event") + " that made what was alive";
  if (inside == 0)
    return "no event lies there" + (earlier > 0 ? "; counted: " + made + " then" : "");
  const std::string lie =
      text::counted(inside, "event") + (inside == 1 ? " lies there" : " lie there");
  return lie + (earlier > 0 ? "; counted, too: " + made + " when it began" : "");
}

void print(const SummaryCommand& command, const Json& json) {
  std::printf("%s\n", text::printable(command.file.string()).c_str());
  for (const auto& [key, value] : json.items()) {
    if (value.is_structured() || key == "fault" || key == "complete" || key.ends_with("_device"))
      continue;
    print_row(title_of(key, json).c_str(), as_text(key, value) + device_as_text(key, json));
  }
  if (json.contains("in_range")) print_row("in the range", range_as_text(json["in_range"]));
  if (json.contains("actions")) {
    for (const auto& [action, count] : json["actions"].items())
      print_row(action.c_str(), as_text("count", count));
  }
  if (json["kind"] == "snapshot") print_devices(json["devices"]);
  if (json.contains("findings")) print_findings(json["findings"]);
  if (json.contains("blocks")) print_blocks(json["blocks"]);
  if (json.contains("growth")) print_growth(json["growth"]);
  if (json["kind"] != "trace") return;
  print_row("steps", as_text("count", json["steps"].size()));
  print_gpu_time(json);
  print_busy_devices(json["gpu_busy_by_device"]);
  for (const Json& one : json["checks"]) {
    const std::string check =
        one["check"].get<std::string>() + " " + one["state"].get<std::string>();
    print_row(check.c_str(), one["title"].get<std::string>() + ": " +
                                 text::printable(one["found"].get<std::string>()));
  }
  print_steps(json["steps"]);
  print_totals("Kernels", json["kernels"]);
  print_totals("Operators", json["operators"]);
}

// The names have been checked by the options.
BlockQuestion question(const SummaryCommand& command) {
  BlockQuestion question;
  const auto by = std::ranges::find(blocks::kGroupNames, *command.by);
  question.by = static_cast<blocks::GroupBy>(by - blocks::kGroupNames.begin());
  question.at_end = command.weight == "end";
  if (command.weight == "allocated") question.weight = blocks::Weight::allocated;
  if (command.weight == "lifetime") question.weight = blocks::Weight::lifetime;
  return question;
}

// Prints a summary of a file. Returns 2 when it cannot be read.
Exit summarise(const SummaryCommand& command) {
  base::keep_freed_memory();
  TS_TRY(const auto asked, question_of(command.part));
  TS_TRY(auto summary, summary_of(command.file, asked));
  Json& json = summary.json;
  add_part(json, asked);
  if ((command.by || command.growth) && summary.blocks == nullptr) {
    return base::fail(command.file.string() +
                      " is neither a memory snapshot nor a recording: --by and --growth need one");
  }
  if (json.contains("fault")) report(json["fault"].get<std::string>(), 0);
  if (command.by) json["blocks"] = block_table_json(*summary.blocks, question(command));
  if (command.growth) json["growth"] = growth_json(*summary.blocks);
  json["file"] = command.file.string();
  if (command.json) {
    print_json(json);
  } else {
    json.erase("file");
    print(command, json);
  }
  return 0;
}

}  // namespace

ParsedCommand summary_command(CLI::App& app) {
  const auto options = std::make_shared<SummaryCommand>();
  app.add_option(
         "FILE", options->file,
         "Memory snapshot, trace of a profiler, recording, run or sweep; packed by gzip or not")
      ->option_text(" ")
      ->required();
  const std::vector<std::string> groups(blocks::kGroupNames.begin(), blocks::kGroupNames.end());
  app.add_option("--by", options->by,
                 "Of a snapshot or recording: a table of its blocks by this property")
      ->check(CLI::IsMember(groups));
  app.add_option(
         "--of", options->weight,
         "Blocks of the table: alive at the peak or at the end, all that were allocated, or "
         "bytes times lifetime (in seconds; in events where a file has no times)")
      ->check(CLI::IsMember({"peak", "end", "allocated", "lifetime"}))
      ->needs("--by");
  app.add_flag("--growth", options->growth,
               "Of a snapshot or recording: stacks of which more bytes are alive after every step");
  add_part_options(app, options->part);
  add_json(app, options->json);
  return parsed_command(options, summarise);
}

}  // namespace ts::app
