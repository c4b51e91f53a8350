#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/command_line.h"
#include "app/commands/report.h"
#include "app/output/block_json.h"
#include "app/output/file_question.h"
#include "app/output/file_summary.h"
#include "core/stats/trace_difference.h"

namespace ts::app {
namespace {

struct DiffCommand {
  std::filesystem::path a, b;
  bool at_end = false;  // else at the peak
  bool json = false;
  PartOptions part;
};

using Json = nlohmann::json;

Json figure(const std::string& name, const Json& a, const Json& b) {
  return {{"name", name}, {"a", a}, {"b", b}, {"difference", b.get<double>() - a.get<double>()}};
}

// Numbers of a file that are no amounts.
bool is_name(const std::string& key) {
  return key == "rank" || key == "schema" || key.ends_with("_device");
}

// Amounts that both files have, and the count of their steps.
Json figures_of(const Json& a, const Json& b) {
  auto figures = Json::array();
  for (const auto& [key, value] : a.items()) {
    if (!b.contains(key) || is_name(key)) continue;
    if (value.is_number() && b[key].is_number()) figures.push_back(figure(key, value, b[key]));
    if (key == "steps") figures.push_back(figure(key, value.size(), b[key].size()));
  }
  return figures;
}

// Counts of actions; one that a file lacks is 0 there.
Json actions_of(const Json& a, const Json& b) {
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> counts;
  for (const auto& [action, count] : a.items()) counts[action].first = count;
  for (const auto& [action, count] : b.items()) counts[action].second = count;
  auto rows = Json::array();
  for (const auto& [action, both] : counts) rows.push_back(figure(action, both.first, both.second));
  return rows;
}

// Rows of a table of names, matched by name, largest difference first.
Json table_of(const Json& a, const Json& b) {
  std::map<std::string, std::pair<Json, Json>> rows;
  for (const Json& row : a) rows[row["name"]].first = row;
  for (const Json& row : b) rows[row["name"]].second = row;
  std::vector<Json> all;
  for (const auto& [name, both] : rows) {
    const auto& [of_a, of_b] = both;
    const auto value = [](const Json& row, const char* key) {
      return row.is_null() ? Json(0) : row[key];
    };
    const double us_a = value(of_a, "total_us");
    const double us_b = value(of_b, "total_us");
    all.push_back({{"name", name},
                   {"state", stats::to_string(
                                 stats::change_of(!of_a.is_null(), !of_b.is_null(), us_b - us_a))},
                   {"count_a", value(of_a, "count")},
                   {"count_b", value(of_b, "count")},
                   {"total_us_a", value(of_a, "total_us")},
                   {"total_us_b", value(of_b, "total_us")},
                   {"difference_us", us_b - us_a},
                   {"ratio", us_a > 0 ? Json(us_b / us_a) : Json()}});
  }
  std::ranges::stable_sort(all, std::ranges::greater(), [](const Json& row) {
    return std::abs(row["difference_us"].get<double>());
  });
  return all;
}

stats::TraceSide side_of(const files::OpenedTrace& trace) {
  return {trace.run.trace, trace.run.launches, trace.run.memory, *trace.about.strings};
}

// Calls of operators by name, shapes and module; times are self times.
Json calls_of(const files::OpenedTrace& a, const files::OpenedTrace& b) {
  auto all = Json::array();
  const auto by = stats::DifferenceBy::op_and_shape;
  for (const stats::DifferenceRow& row : stats::difference_of(side_of(a), side_of(b), by)) {
    const auto ratio = row.ratio();
    all.push_back({{"name", row.name},
                   {"shape", row.shape},
                   {"module", row.module},
                   {"state", stats::to_string(row.change())},
                   {"count_a", row.calls_a},
                   {"count_b", row.calls_b},
                   {"self_us_a", static_cast<double>(row.a_ns) * 1e-3},
                   {"self_us_b", static_cast<double>(row.b_ns) * 1e-3},
                   {"difference_us", static_cast<double>(row.difference_ns()) * 1e-3},
                   {"ratio", ratio ? Json(*ratio) : Json()}});
  }
  return all;
}

Json diff_of(const Json& a, const Json& b) {
  Json diff = {{"kind", a["kind"]}, {"figures", figures_of(a, b)}};
  if (a.contains("actions")) diff["actions"] = actions_of(a["actions"], b["actions"]);
  for (const char* const table : {"kernels", "operators"}) {
    if (a.contains(table)) diff[table] = table_of(a[table], b[table]);
  }
  return diff;
}

std::string shown(const std::string& name, double value) {
  if (name.starts_with("peak_") || name == "bytes")
    return size_as_text(static_cast<std::int64_t>(value));
  if (name.ends_with("_us")) return text::duration_ns(value * 1e3).joined();
  if (name.ends_with("_ms")) return text::duration_ns(value * 1e6).joined();
  return value == std::floor(value) ? text::grouped(static_cast<std::int64_t>(value))
                                    : text::decimal(value, 3);
}

// Titles of figures come from their keys; the names of actions are the allocator's own words.
template <class Title>
void print_figures(const Json& rows, Title title_of_row) {
  for (const Json& row : rows) {
    const std::string name = row["name"];
    const std::string& title = title_of_row(name);
    std::printf("  %-22s %16s %16s %16s\n", text::printable(title).c_str(),
                shown(name, row["a"]).c_str(), shown(name, row["b"]).c_str(),
                shown(name, row["difference"]).c_str());
  }
}

void print_table(const char* title, const Json& rows) {
  constexpr std::size_t kMost = 15;
  if (rows.empty()) return;
  std::printf("\n%s\n  %12s %12s %12s %7s %9s %9s  %-7s name\n", title, "A", "B", "B - A", "B / A",
              "count A", "count B", "");
  const std::string time = rows[0].contains("total_us_a") ? "total_us" : "self_us";
  for (std::size_t i = 0; i < std::min(rows.size(), kMost); ++i) {
    const Json& row = rows[i];
    std::string name = row["name"];
    for (const char* const part : {"shape", "module"}) {
      const std::string more = row.value(part, "");
      if (!more.empty()) name += "  " + more;
    }
    const std::string ratio =
        row["ratio"].is_null() ? text::kNoNumber : text::decimal(row["ratio"], 2);
    std::printf("  %12s %12s %12s %7s %9s %9s  %-7s %s\n", shown("_us", row[time + "_a"]).c_str(),
                shown("_us", row[time + "_b"]).c_str(), shown("_us", row["difference_us"]).c_str(),
                ratio.c_str(), shown("", row["count_a"]).c_str(), shown("", row["count_b"]).c_str(),
                row["state"].get<std::string>().c_str(), text::printable(name).c_str());
  }
  if (rows.size() > kMost) std::printf("  ... and %zu more\n", rows.size() - kMost);
}

// Prints the blocks that are alive in one snapshot and not in the other.
void print_block_differences(const Json& diff) {
  constexpr std::size_t kMost = 25;
  if (diff["blocks"].empty())
    std::printf("\nNo device of A is one of B: what is alive in them is not compared\n");
  for (const Json& device : diff["blocks"]) {
    const Json& rows = device["rows"];
    std::string number = device["device"].dump();
    if (device["device_b"] != device["device"]) number += " and " + device["device_b"].dump();
    std::printf("\nAlive at the %s, device %s, by stack and size\n",
                diff["alive_at"].get<std::string>().c_str(), number.c_str());
    if (rows.empty()) std::printf("  The same in both.\n");
    for (std::size_t i = 0; i < std::min(rows.size(), kMost); ++i) {
      const Json& row = rows[i];
      const std::string stack = row["stack"];
      const auto bytes = row["bytes"].get<std::int64_t>();
      std::printf("  %12s  %6s to %6s of %12s  %s\n",
                  ((bytes > 0 ? "+" : "") + size_as_text(bytes)).c_str(),
                  text::grouped(row["blocks_a"].get<std::int64_t>()).c_str(),
                  text::grouped(row["blocks_b"].get<std::int64_t>()).c_str(),
                  size_as_text(row["size"].get<std::int64_t>()).c_str(),
                  stack.empty() ? "(no stack)" : text::printable(stack).c_str());
    }
    if (rows.size() > kMost) std::printf("  ... and %zu more\n", rows.size() - kMost);
  }
}

// `larger`: the summary with more GPUs.
void print_diff(const Json& diff, const Json& larger) {
  std::printf("  %-22s %16s %16s %16s\n", "", "A", "B", "B - A");
  print_figures(diff["figures"],
                [&larger](const std::string& key) { return title_of(key, larger); });
  if (diff.contains("actions")) print_figures(diff["actions"], std::identity());
  if (diff.contains("kernels")) print_table("Kernels", diff["kernels"]);
  if (diff.contains("blocks")) print_block_differences(diff);
  if (diff.contains("operators")) print_table("Operators", diff["operators"]);
  if (diff.contains("calls"))
    print_table("Operators by shape and module, self time", diff["calls"]);
}

// Prints the differences between two files of one kind. Returns 2 when one cannot be read or their
// kinds differ.
Exit print_trace_differences(const DiffCommand& command) {
  TS_TRY(auto asked, question_of(command.part));
  asked.keep_traces = true;
  std::vector<FileSummary> both;
  for (const std::filesystem::path& path : {command.a, command.b}) {
    TS_TRY(auto summary, summary_of(path, asked));
    if (summary.json.contains("fault")) report(summary.json["fault"].get<std::string>(), 0);
    both.push_back(std::move(summary));
  }
  const Json& a = both[0].json;
  const Json& b = both[1].json;
  if (a["kind"] != b["kind"]) {
    return base::fail(command.a.string() + " is a " + a["kind"].get<std::string>() + ", " +
                      command.b.string() + " a " + b["kind"].get<std::string>() +
                      ": only files of one kind can be compared");
  }
  Json diff = diff_of(a, b);
  add_part(diff, asked);
  if (both[0].trace != nullptr && both[1].trace != nullptr)
    diff["calls"] = calls_of(*both[0].trace, *both[1].trace);
  if (both[0].blocks != nullptr && both[1].blocks != nullptr) {
    diff["alive_at"] = command.at_end ? "end" : "peak";
    diff["blocks"] = difference_json(*both[0].blocks, *both[1].blocks, command.at_end);
  }
  if (!command.json) {
    const bool more_in_b =
        b["kind"] == "trace" && b["gpu_busy_by_device"].size() > a["gpu_busy_by_device"].size();
    print_diff(diff, more_in_b ? b : a);
    return 0;
  }
  diff["file_a"] = command.a.string();
  diff["file_b"] = command.b.string();
  print_json(diff);
  return 0;
}

}  // namespace

ParsedCommand diff_command(CLI::App& app) {
  const auto options = std::make_shared<DiffCommand>();
  app.add_option("A", options->a, "Memory snapshot, trace of a profiler, run or sweep")
      ->option_text(" ")
      ->required();
  app.add_option("B", options->b, "Another of the same kind")->option_text(" ")->required();
  app.add_flag("--at-end", options->at_end,
               "Of snapshots: compare what is alive at the end, not at the peak");
  add_part_options(app, options->part);
  add_json(app, options->json);
  return parsed_command(options, print_trace_differences);
}

}  // namespace ts::app
