#include "app/ranks/rank_tables.h"

#include <nlohmann/json.hpp>
#include <string>

#include "core/text/message.h"
#include "core/text/numbers.h"

namespace ts::app {
namespace {

using nlohmann::json;

constexpr std::int64_t kLeastBytes = 1024;

std::string ms_or_none(const json& ms) {
  return ms.is_number() ? text::duration_ns(ms.get<double>() * 1e6).joined() : text::kNoNumber;
}

std::string bytes_or_none(const json& bytes) {
  return bytes.is_number() ? text::bytes(bytes.get<std::int64_t>()).joined() : text::kNoNumber;
}

std::string left_out_text(const json& rank) {
  const json& compression = rank.at("compression");
  if (!compression.is_object()) return text::kNoNumber;
  return text::decimal(100 * compression.at("left_out").get<double>(), 1) + " %";
}

// Numbers to the right, but for the first column.
io::TextTable table_with(const std::vector<const char*>& keys, const text::Texts& texts) {
  io::TextTable table;
  for (const char* const key : keys) {
    table.columns.emplace_back(texts(std::string("ranks.column.") + key));
    table.right.push_back(table.columns.size() > 1);
  }
  return table;
}

}  // namespace

io::TextTable table_of_ranks(const json& document, std::span<const std::int64_t> predicted,
                             const text::Texts& texts) {
  io::TextTable table = table_with(
      {"rank", "step", "peak", "predicted", "slowest", "communication", "left_out", "clock"},
      texts);
  const json& ranks = document.at("ranks");
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const json& one = ranks[rank];
    std::vector<std::string> row(table.columns.size(), text::kNoNumber);
    row[0] = std::to_string(rank);
    if (rank < predicted.size()) row[3] = text::bytes(predicted[rank]).joined();
    if (one.is_object()) {
      row[1] = ms_or_none(one.at("step_ms"));
      row[2] = bytes_or_none(one.at("peak_allocated"));
      if (one.contains("waits_ms")) {
        row[4] = ms_or_none(one.at("waits_ms").at("for_slowest"));
        row[5] = ms_or_none(one.at("waits_ms").at("for_communication"));
      }
      row[6] = left_out_text(one);
      if (one.at("clock_offset_ns").is_number())
        row[7] = text::duration_ns(one.at("clock_offset_ns").get<double>()).joined();
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

io::TextTable table_of_collectives(const json& document, const text::Texts& texts) {
  io::TextTable table =
      table_with({"collective", "bytes", "count", "time", "bandwidth", "hidden", "waited"}, texts);
  const json& collectives = document.at("collectives");
  if (!collectives.is_object()) return table;
  for (const json& one : collectives.at("of")) {
    if (one.at("bytes").get<std::int64_t>() < kLeastBytes) continue;
    const json& speed = one.at("bus_gb_s");
    table.rows.push_back(
        {one.at("name").get<std::string>(), bytes_or_none(one.at("bytes")),
         text::grouped(one.at("count").get<std::int64_t>()), ms_or_none(one.at("ms")),
         speed.is_number() ? text::rate(speed.get<double>() * 1e9, "B").joined() : text::kNoNumber,
         text::decimal(one.at("hidden_percent").get<double>(), 0) + " %",
         ms_or_none(one.at("waited_ms"))});
  }
  return table;
}

std::vector<base::Message> sentences_of_ranks(const json& document) {
  std::vector<base::Message> said;
  if (document.at("step_ms").is_number()) {
    const json& tokens = document.at("tokens_per_s");
    const std::string rate =
        tokens.is_number() ? text::rate(tokens.get<double>(), "tokens").joined() : text::kNoNumber;
    said.push_back(text::message("ranks.result",
                                 {{"step", ms_or_none(document.at("step_ms"))}, {"rate", rate}}));
  }
  const json& losses = document.at("losses");
  if (losses.is_array() && !losses.empty() && losses.front().is_number() &&
      losses.back().is_number()) {
    said.push_back(
        text::message("ranks.losses", {{"first", text::decimal(losses.front().get<double>(), 4)},
                                       {"last", text::decimal(losses.back().get<double>(), 4)},
                                       {"steps", std::to_string(losses.size())}}));
  }
  const json& collectives = document.at("collectives");
  if (!collectives.is_object()) return said;
  const json& difference = collectives.at("first_difference");
  if (difference.is_null()) {
    const std::string issued = text::grouped(collectives.at("issued").get<std::int64_t>());
    said.push_back(text::message("ranks.same_order", {{"count", issued}}));
  } else {
    const std::string first = text::grouped(difference.get<std::int64_t>());
    said.push_back(text::message("ranks.other_order", {{"first", first}}));
  }
  return said;
}

}  // namespace ts::app
