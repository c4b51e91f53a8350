#include "core/sweep/point_profile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <string_view>

#include "core/io/json_values.h"
#include "core/report/run_json.h"
#include "core/stats/operator_table.h"
#include "core/text/numbers.h"

namespace ts::sweep {
namespace {

constexpr const char* kNoModule = "(none)";

std::string name_of(base::StringId id, const base::StringTable& strings) {
  const std::string_view name = strings.view(id);
  return name.empty() ? kNoModule : std::string(name);
}

nlohmann::json times_of(const run::Run& run, const base::StringTable& strings,
                        stats::GroupBy group) {
  auto out = nlohmann::json::object();
  const auto table = stats::operator_table(run.trace, run.memory, strings, group);
  const auto steps = static_cast<double>(std::max<std::int64_t>(table.steps, 1));
  const bool modules = group == stats::GroupBy::module;
  for (const stats::OperatorRow& row : table.rows) {
    const auto ns = static_cast<double>(modules ? row.total_ns : row.self_ns);
    out[name_of(row.name, strings)] = {{"calls", static_cast<double>(row.calls) / steps},
                                       {modules ? "total_ms" : "self_ms", ns * 1e-6 / steps}};
  }
  return out;
}

// Work on the streams of a GPU: kernels, copies, fills.
nlohmann::json kernels_of(const run::Run& run, const base::StringTable& strings) {
  struct Sum {
    double calls = 0;
    double ms = 0;
  };
  std::map<std::string, Sum> sums;
  for (std::size_t t = 0; t < run.trace.tracks().size(); ++t) {
    const auto track = static_cast<trace::TrackId>(t);
    if (run.trace.tracks()[t].kind != trace::TrackKind::gpu_stream) continue;
    for (std::uint16_t depth = 0; depth < run.trace.depth_count(track); ++depth) {
      for (std::uint32_t i = 0; i < run.trace.lane_size(track, depth); ++i) {
        const trace::Slice slice = run.trace.slice({track, depth, i});
        Sum& sum = sums[name_of(slice.name, strings)];
        sum.calls += 1;
        sum.ms += static_cast<double>(slice.duration_ns) * 1e-6;
      }
    }
  }
  const auto steps = static_cast<double>(std::max<std::size_t>(run.recorded_steps.size(), 1));
  auto out = nlohmann::json::object();
  for (const auto& [name, sum] : sums) {
    out[name] = {{"calls", sum.calls / steps}, {"total_ms", sum.ms / steps}};
  }
  return out;
}

nlohmann::json peak_of(const run::Run& run, const base::StringTable& strings) {
  auto operators = nlohmann::json::object();
  auto modules = nlohmann::json::object();
  auto categories = nlohmann::json::object();
  if (run.memory.peak_event() != memory::kNone) {
    std::map<std::string, std::int64_t> by_operator;
    std::map<std::string, std::int64_t> by_module;
    for (const memory::BlockIndex index : run.memory.live_after(run.memory.peak_event())) {
      const memory::Block& block = run.memory.blocks()[index];
      by_operator[name_of(block.op, strings)] += block.size;
      by_module[name_of(block.module, strings)] += block.size;
    }
    operators = by_operator;
    modules = by_module;
    categories = report::category_json(run.memory.by_category_after(run.memory.peak_event()));
  }
  return {{"categories", categories}, {"operators", operators}, {"modules", modules}};
}

// All names of both profiles, with the numbers at `value` and, if present, at "calls".
std::vector<ProfileRow> matched(const nlohmann::json& a, const nlohmann::json& b,
                                const char* value) {
  std::map<std::string, ProfileRow> rows;
  const auto add = [&](const nlohmann::json& from, double ProfileRow::*number,
                       double ProfileRow::*calls) {
    for (const auto& [name, entry] : from.items()) {
      ProfileRow& row = rows[name];
      row.name = name;
      row.*number = value != nullptr ? entry.at(value).get<double>() : entry.get<double>();
      if (value != nullptr) row.*calls = entry.at("calls").get<double>();
    }
  };
  add(a, &ProfileRow::a, &ProfileRow::calls_a);
  add(b, &ProfileRow::b, &ProfileRow::calls_b);
  std::vector<ProfileRow> sorted;
  for (auto& [name, row] : rows) sorted.push_back(std::move(row));
  std::stable_sort(sorted.begin(), sorted.end(), [](const ProfileRow& x, const ProfileRow& y) {
    return std::abs(x.difference()) > std::abs(y.difference());
  });
  return sorted;
}

std::string cell(double value, int digits) {
  return value < 0 ? text::kNoNumber : text::decimal(value, digits);
}

io::TextTable profile_table(const std::vector<ProfileRow>& rows, const char* what, bool bytes,
                            std::size_t most) {
  io::TextTable table;
  const std::string unit = bytes ? " MiB" : " ms";
  table.columns = {what};
  if (!bytes) table.columns.insert(table.columns.end(), {"calls A", "calls B"});
  table.columns.insert(table.columns.end(), {"A" + unit, "B" + unit, "B less A" + unit});
  table.right.assign(table.columns.size(), true);
  table.right[0] = false;
  const double scale = bytes ? text::kBytesInMiB : 1;
  const int digits = bytes ? 2 : 3;
  for (std::size_t i = 0; i < std::min(rows.size(), most); ++i) {
    const ProfileRow& row = rows[i];
    std::vector<std::string> cells = {row.name};
    if (!bytes) cells.insert(cells.end(), {cell(row.calls_a, 0), cell(row.calls_b, 0)});
    const double difference = row.difference() / scale;
    cells.insert(cells.end(), {cell(row.a / scale, digits), cell(row.b / scale, digits),
                               (difference > 0 ? "+" : "") + text::decimal(difference, digits)});
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// Bytes of a label in a file name. Together with the axes, an ending and the suffix of a temporary
// neighbour file, a name stays below the 255 bytes that file systems allow.
constexpr std::size_t kMostLabelBytes = 120;

// FNV-1a: gives the same digest in every version of the program.
std::uint64_t digest_of(std::string_view text) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  std::uint64_t digest = 0xcbf29ce484222325;
  for (const char letter : text) digest = (digest ^ static_cast<unsigned char>(letter)) * kPrime;
  return digest;
}

// "flash, lr = 1e-3" as "flash,lr=1e-3".
std::string file_text(std::string_view label) {
  std::string words;
  std::size_t cut = 0;  // the last position that does not split a character
  for (std::size_t i = 0; i < label.size(); ++i) {
    if (words.size() <= kMostLabelBytes) cut = words.size();
    const std::string_view rest = label.substr(i);
    if (rest.starts_with(", ")) {
      words += ',';
      i += 1;
    } else if (rest.starts_with(" = ")) {
      words += '=';
      i += 2;
    } else if (std::isalnum(static_cast<unsigned char>(label[i])) != 0 ||
               std::string_view("_-+").find(label[i]) != std::string_view::npos ||
               (label[i] == '.' && i > 0)) {
      words += label[i];
    } else {
      words += fmt::format("%{:02X}", static_cast<unsigned char>(label[i]));
    }
  }
  if (words.size() <= kMostLabelBytes) return words;
  return words.substr(0, cut) + fmt::format("~{:016x}", digest_of(label));
}

// "_T=512_B=2"
std::string place_text(const Sweep& sweep, const SweepPoint& point) {
  std::string words;
  for (std::size_t i = 0; i < point.at.size(); ++i) {
    words += fmt::format("_{}={}", spec::field_name(sweep.spec().axes[i].field), point.at[i]);
  }
  return words;
}

nlohmann::json profile_rows_json(const std::vector<ProfileRow>& rows) {
  auto out = nlohmann::json::array();
  for (const ProfileRow& row : rows) {
    out.push_back({{"name", row.name},
                   {"calls", {io::known(row.calls_a), io::known(row.calls_b)}},
                   {"values", {io::known(row.a), io::known(row.b)}},
                   {"difference", row.difference()}});
  }
  return out;
}

}  // namespace

nlohmann::json profile_of(const run::Run& run, const base::StringTable& strings) {
  const run::TimingSummary timing = run.timing();
  return {{"spec", to_json(run.spec)},
          {"backend_ran", run.facts.backend_ran},
          {"steps", run.recorded_steps.size()},
          {"step_ms", io::known(timing.median_ms)},
          {"peak_allocated", run.peak_allocated()},
          {"operators", times_of(run, strings, stats::GroupBy::op)},
          {"kernels", kernels_of(run, strings)},
          {"modules", times_of(run, strings, stats::GroupBy::module)},
          {"peak", peak_of(run, strings)}};
}

std::string profile_name(const Sweep& sweep, std::size_t index) {
  const SweepPoint& point = sweep.points()[index];
  return file_text(sweep.series()[point.series].label) + place_text(sweep, point);
}

std::string older_profile_name(const Sweep& sweep, std::size_t index) {
  const SweepPoint& point = sweep.points()[index];
  std::string name;
  for (const char letter : sweep.series()[point.series].label) {
    const bool kept = std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                      std::string_view("_=+.").find(letter) != std::string_view::npos;
    if (kept) name += letter;
    if (letter == ',') name += '_';
  }
  return name + place_text(sweep, point);
}

ProfileComparison compare_profiles(const nlohmann::json& a, const nlohmann::json& b) {
  ProfileComparison out;
  out.step_a = io::known_from(a, "step_ms");
  out.step_b = io::known_from(b, "step_ms");
  out.peak_a = io::known_from(a, "peak_allocated");
  out.peak_b = io::known_from(b, "peak_allocated");
  out.operators = matched(a.at("operators"), b.at("operators"), "self_ms");
  // Profiles of older programs have no kernels.
  const nlohmann::json none = nlohmann::json::object();
  out.kernels = matched(a.value("kernels", none), b.value("kernels", none), "total_ms");
  out.modules = matched(a.at("modules"), b.at("modules"), "total_ms");
  const nlohmann::json& x = a.at("peak");
  const nlohmann::json& y = b.at("peak");
  out.categories = matched(x.at("categories"), y.at("categories"), nullptr);
  out.operator_bytes = matched(x.at("operators"), y.at("operators"), nullptr);
  out.module_bytes = matched(x.at("modules"), y.at("modules"), nullptr);
  return out;
}

nlohmann::json to_json(const ProfileComparison& c) {
  return {{"step_ms", {io::known(c.step_a), io::known(c.step_b)}},
          {"peak_allocated", {io::known(c.peak_a), io::known(c.peak_b)}},
          {"operators", profile_rows_json(c.operators)},
          {"kernels", profile_rows_json(c.kernels)},
          {"modules", profile_rows_json(c.modules)},
          {"peak",
           {{"categories", profile_rows_json(c.categories)},
            {"operators", profile_rows_json(c.operator_bytes)},
            {"modules", profile_rows_json(c.module_bytes)}}}};
}

std::string comparison_markdown(const ProfileComparison& c, const std::string& name_a,
                                const std::string& name_b, std::size_t most) {
  std::string out = "A: " + name_a + "\nB: " + name_b + "\n\n";
  if (c.step_a > 0 && c.step_b > 0) {
    out +=
        fmt::format("Step {} ms and {} ms: B takes {} times as long.\n", text::decimal(c.step_a, 3),
                    text::decimal(c.step_b, 3), text::decimal(c.step_b / c.step_a, 2));
  }
  if (c.peak_a > 0 && c.peak_b > 0) {
    out += fmt::format("Peak {} MiB and {} MiB: B needs {} times as much.\n",
                       text::decimal(c.peak_a / text::kBytesInMiB, 2),
                       text::decimal(c.peak_b / text::kBytesInMiB, 2),
                       text::decimal(c.peak_b / c.peak_a, 2));
  }
  struct Part {
    const char* title;
    const char* what;
    const std::vector<ProfileRow>& rows;
    bool bytes;
  };
  for (const Part& part :
       {Part{"Self time by operator, per recorded step", "operator", c.operators, false},
        Part{"Time by kernel of the GPU, per recorded step", "kernel", c.kernels, false},
        Part{"Time by module with everything inside it, per recorded step", "module", c.modules,
             false},
        Part{"Memory at the peak by category", "category", c.categories, true},
        Part{"Memory at the peak by operator", "operator", c.operator_bytes, true},
        Part{"Memory at the peak by module", "module", c.module_bytes, true}}) {
    if (part.rows.empty()) continue;
    out += fmt::format("\n## {}\n\n", part.title) +
           io::to_markdown(profile_table(part.rows, part.what, part.bytes, most));
    if (part.rows.size() > most) {
      out += fmt::format("\n{} more with smaller differences\n", part.rows.size() - most);
    }
  }
  return out;
}

}  // namespace ts::sweep
