#include "app/ranks/rank_results.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/ranks/rank_launcher.h"
#include "core/base/clock.h"
#include "core/files/collectives.h"
#include "core/files/merged_ranks.h"
#include "core/io/file.h"
#include "core/io/json_parse.h"
#include "core/io/text_table.h"
#include "core/stats/quantiles.h"
#include "core/text/numbers.h"
#include "core/trace_file/trace_read.h"
#include "core/trace_file/trace_write.h"

namespace ts::app {
namespace {

using nlohmann::json;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return stats::quantile_sorted(values, 0.5);
}

json part_of(const json& run, const char* pointer) {
  const json::json_pointer at(pointer);
  return run.contains(at) ? run.at(at) : json();
}

json rank_of(const json& run) {
  return {{"rank", part_of(run, "/rank/rank")},
          {"verdict", part_of(run, "/verdict")},
          {"sentence", part_of(run, "/sentence")},
          {"step_ms", part_of(run, "/step_ms/median")},
          {"tokens_per_s", part_of(run, "/tokens_per_s")},
          {"peak_allocated", part_of(run, "/memory/peak_allocated")},
          {"clock_offset_ns", part_of(run, "/rank/clock_offset_ns")},
          {"round_trip_ns", part_of(run, "/rank/round_trip_ns")},
          {"buckets", part_of(run, "/rank/buckets")},
          {"compression", part_of(run, "/rank/compression")},
          {"loss", part_of(run, "/loss")}};
}

json losses_of(const json& run) {
  auto losses = json::array();
  const json steps = part_of(run, "/training/steps");
  if (!steps.is_array()) return losses;
  for (const json& step : steps) losses.push_back(part_of(step, "/loss"));
  return losses;
}

constexpr double kMs = 1e-6;

// Sums over collectives of one name and size.
struct Sums {
  std::vector<double> ms, transfer_ms, waited_ms;
  double hidden = 0, whole = 0;
};

json collectives_json(const files::Collectives& found) {
  std::map<std::pair<std::string, std::int64_t>, Sums> kinds;
  std::size_t ranks = 0;
  for (const files::Collective& one : found.all) {
    Sums& sums = kinds[{one.name, one.bytes}];
    ranks = one.parts.size();
    sums.transfer_ms.push_back(static_cast<double>(one.transfer_ns()) * kMs);
    for (const files::CollectivePart& part : one.parts) {
      sums.ms.push_back(static_cast<double>(part.duration_ns) * kMs);
      sums.waited_ms.push_back(static_cast<double>(part.waited_ns) * kMs);
      sums.hidden += static_cast<double>(part.overlapped_ns);
      sums.whole += static_cast<double>(part.duration_ns);
    }
  }
  auto list = json::array();
  for (const auto& [kind, sums] : kinds) {
    const auto& [name, bytes] = kind;
    const double transfer_ms = median(sums.transfer_ms);
    json gb_s;
    if (bytes > 0 && transfer_ms > 0 && ranks > 1) {
      gb_s = static_cast<double>(bytes) * files::bus_factor(name, ranks) / (transfer_ms * 1e6);
    }
    list.push_back({{"name", name},
                    {"bytes", bytes},
                    {"count", sums.transfer_ms.size()},
                    {"ms", median(sums.ms)},
                    {"transfer_ms", transfer_ms},
                    {"bus_gb_s", gb_s},
                    {"waited_ms", median(sums.waited_ms)},
                    {"hidden_percent", sums.whole > 0 ? 100 * sums.hidden / sums.whole : 0}});
  }
  return {{"issued", found.issued},
          {"first_difference", found.first_difference ? json(*found.first_difference) : json()},
          {"of", std::move(list)}};
}

json waits_json(const files::Waits& waits) {
  return {{"for_slowest", static_cast<double>(waits.for_slowest_ns) * kMs},
          {"for_communication", static_cast<double>(waits.for_communication_ns) * kMs}};
}

io::TextTable collective_table(const files::Collectives& found) {
  io::TextTable table;
  table.columns = {"collective", "name", "bytes",     "rank",
                   "begin_ms",   "ms",   "waited_ms", "hidden_ms"};
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    const files::Collective& one = found.all[i];
    for (std::size_t rank = 0; rank < one.parts.size(); ++rank) {
      const files::CollectivePart& part = one.parts[rank];
      const auto ms = [](std::int64_t ns) { return text::plain(static_cast<double>(ns) * kMs); };
      table.rows.push_back({std::to_string(i), one.name, std::to_string(one.bytes),
                            std::to_string(rank), ms(part.begin_ns), ms(part.duration_ns),
                            ms(part.waited_ns), ms(part.overlapped_ns)});
    }
  }
  return table;
}

std::string ms_text(double ms) {
  return text::duration_ns(ms / kMs).joined();
}

std::string collective_text(const json& one) {
  std::string words = text::bytes(one.at("bytes").get<std::int64_t>()).joined() + ", " +
                      ms_text(one.at("ms").get<double>());
  if (!one.at("bus_gb_s").is_null())
    words += ", bus " + text::rate(one.at("bus_gb_s").get<double>() * 1e9, "B").joined();
  return words + ", " + text::decimal(one.at("hidden_percent").get<double>(), 0) +
         " % hidden behind operators, " + ms_text(one.at("waited_ms").get<double>()) +
         " for the slowest rank (" + text::grouped(one.at("count").get<std::int64_t>()) +
         " recorded)";
}

std::string compression_text(const json& of) {
  const double elements = of.at("elements").get<double>();
  const double sent = of.at("sent").get<double>();
  return text::decimal(elements / sent, 1) + " times fewer elements (" +
         text::grouped(of.at("sent").get<std::int64_t>()) + " of " +
         text::grouped(of.at("elements").get<std::int64_t>()) + "), " +
         text::decimal(100 * of.at("left_out").get<double>(), 1) +
         " % of the gradient's norm left for the next step";
}

}  // namespace

json run_of_rank(const std::filesystem::path& folder, std::size_t rank) {
  auto run = io::read_json(folder_of_rank(folder, rank) / "run.json");
  return run && run->is_object() ? std::move(*run) : json();
}

json gather_ranks(const std::filesystem::path& folder, std::size_t size) {
  auto ranks = json::array();
  double slowest = 0;
  double tokens = 0;
  json losses;
  for (std::size_t rank = 0; rank < size; ++rank) {
    const json run = run_of_rank(folder, rank);
    if (run.is_null()) {
      ranks.push_back(nullptr);
      continue;
    }
    ranks.push_back(rank_of(run));
    const json& one = ranks.back();
    if (one.at("step_ms").is_number()) slowest = std::max(slowest, one.at("step_ms").get<double>());
    if (one.at("tokens_per_s").is_number() && one.at("step_ms").is_number()) {
      tokens += one.at("tokens_per_s").get<double>() * one.at("step_ms").get<double>();
    }
    if (losses.is_null()) losses = losses_of(run);
  }
  json document = {{"size", size}, {"ranks", std::move(ranks)}, {"losses", std::move(losses)}};
  document["step_ms"] = slowest > 0 ? json(slowest) : json();
  document["tokens_per_s"] = slowest > 0 && tokens > 0 ? json(tokens / slowest) : json();
  document["collectives"] = nullptr;
  return document;
}

base::Result<void> write_ranks(const std::filesystem::path& folder, std::size_t size,
                               json& document) {
  std::vector<trace_file::TraceFile> traces;
  for (std::size_t rank = 0; rank < size; ++rank) {
    auto trace = trace_file::read_trace(folder_of_rank(folder, rank) / "trace.json");
    if (trace) traces.push_back(std::move(*trace));
  }
  if (!traces.empty()) {
    trace_file::TraceFile merged = files::merge_ranks(traces);
    const files::Collectives found = files::find_collectives(merged);
    const std::vector<files::Waits> waits = files::add_waits(merged, found);
    if (traces.size() == size) {
      document["collectives"] = collectives_json(found);
      for (std::size_t rank = 0; rank < waits.size(); ++rank) {
        json& one = document.at("ranks").at(rank);
        if (one.is_object()) one["waits_ms"] = waits_json(waits[rank]);
      }
    }
    const json metadata = {{"ranks", document.at("ranks")}};
    if (auto written = trace_file::write_trace(folder / "trace.json", merged, metadata.dump());
        !written) {
      return written;
    }
    if (auto written =
            io::write_file(folder / "collectives.csv", io::to_csv(collective_table(found)));
        !written) {
      return written;
    }
  }
  return io::write_file(folder / "ranks.json", io::json_text(document));
}

base::Result<void> gather_when_written(const std::filesystem::path& folder, const run::World& world,
                                       std::int64_t since_unix_ns) {
  const auto size = static_cast<std::size_t>(world.place.size);
  const auto is_new = [&](std::size_t rank) {
    struct stat found {};
    const std::filesystem::path file = folder_of_rank(folder, rank) / ".tensorscope-files";
    if (stat(file.c_str(), &found) != 0) return false;
    constexpr std::int64_t kSecond = 1'000'000'000;
    return found.st_mtim.tv_sec * kSecond + found.st_mtim.tv_nsec >= since_unix_ns;
  };
  const std::int64_t latest = base::now_ns() + static_cast<std::int64_t>(world.timeout_s * 1e9);
  for (std::size_t rank = 0; rank < size; ++rank) {
    while (!is_new(rank) && base::now_ns() < latest)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  json document = gather_ranks(folder, size);
  document["timeout_s"] = world.timeout_s;
  document["shard"] = run::to_string(world.shard);
  return write_ranks(folder, size, document);
}

std::vector<std::pair<std::string, std::string>> rank_rows(const json& document) {
  std::vector<std::pair<std::string, std::string>> rows;
  if (document.at("step_ms").is_number())
    rows.emplace_back(
        "Step", ms_text(document.at("step_ms").get<double>()) + ", the median of the slowest rank");
  if (document.at("tokens_per_s").is_number())
    rows.emplace_back(
        "Throughput",
        text::rate(document.at("tokens_per_s").get<double>(), "tokens").joined() + " by all ranks");
  const json& losses = document.at("losses");
  if (losses.is_array() && !losses.empty() && losses.front().is_number() &&
      losses.back().is_number()) {
    rows.emplace_back("Loss", text::decimal(losses.front().get<double>(), 4) + " to " +
                                  text::decimal(losses.back().get<double>(), 4) + " in " +
                                  text::counted(losses.size(), "step") + ", the mean of the ranks");
  }
  for (const json& one : document.at("ranks")) {
    if (one.is_null() || !one.at("rank").is_number()) continue;
    const std::int64_t rank = one.at("rank").get<std::int64_t>();
    std::string words =
        "peak " + text::bytes(one.at("peak_allocated").get<std::int64_t>()).joined();
    if (one.at("step_ms").is_number())
      words.insert(0, "step " + ms_text(one.at("step_ms").get<double>()) + ", ");
    if (rank > 0) {
      words += ", clock " + text::duration_ns(one.at("clock_offset_ns").get<double>()).joined() +
               " from rank 0's, known to " +
               text::duration_ns(one.at("round_trip_ns").get<double>() / 2).joined();
    }
    rows.emplace_back("Rank " + std::to_string(rank), words);
    if (one.at("compression").is_object())
      rows.emplace_back("  PowerSGD", compression_text(one.at("compression")));
  }
  const json& collectives = document.at("collectives");
  if (!collectives.is_object()) return rows;
  // Small ones are those of the set-up.
  constexpr std::int64_t kSmall = 1024;
  for (const json& one : collectives.at("of")) {
    if (one.at("bytes").get<std::int64_t>() >= kSmall)
      rows.emplace_back(one.at("name").get<std::string>(), collective_text(one));
  }
  rows.emplace_back(
      "Order", collectives.at("first_difference").is_null()
                   ? "all ranks issued the same " +
                         text::grouped(collectives.at("issued").get<std::int64_t>()) +
                         " collectives in the same order"
                   : "the ranks differ from collective " +
                         text::grouped(collectives.at("first_difference").get<std::int64_t>()) +
                         " on");
  return rows;
}

}  // namespace ts::app
