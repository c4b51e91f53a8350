#include "core/report/agreement_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/report/run_json.h"

namespace ts::report {
namespace {

using memory::AllocationLog;
using memory::EventIndex;

std::string error_percent(std::int64_t predicted, std::int64_t measured) {
  if (measured == 0) return {};
  const auto off = static_cast<double>(predicted - measured);
  return fmt::format("{:.4f}", off / static_cast<double>(measured) * 100);
}

const char* action_name(memory::Action action) {
  if (action == memory::Action::alloc) return "alloc";
  return action == memory::Action::oom ? "oom" : "free";
}

// Number (counted from 1), action, bytes, operator and module of one side; empty cells without an
// event.
void add_side(std::vector<std::string>& row, const AllocationLog& log, EventIndex event,
              const base::StringTable& strings) {
  if (event == memory::kNone) {
    row.insert(row.end(), 5, "");
    return;
  }
  const memory::Event& one = log.events()[event];
  row.push_back(std::to_string(std::int64_t{event} + 1));
  row.emplace_back(action_name(one.action));
  if (one.block == memory::kNone) {
    row.insert(row.end(), 3, "");
    return;
  }
  const memory::Block& block = log.blocks()[one.block];
  row.push_back(std::to_string(block.size));
  row.emplace_back(strings.view(block.op));
  row.emplace_back(strings.view(block.module));
}

}  // namespace

std::vector<CategoryAgreement> categories_at_peaks(const ComparedLogs& logs) {
  const auto predicted = logs.predicted.by_category_after(logs.predicted.peak_event());
  const auto measured = logs.measured.by_category_after(logs.measured.peak_event());
  std::vector<CategoryAgreement> rows;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    if (predicted[i] == 0 && measured[i] == 0) continue;
    rows.push_back({static_cast<memory::Category>(i), predicted[i], measured[i]});
  }
  return rows;
}

io::TextTable category_text(const std::vector<CategoryAgreement>& rows) {
  io::TextTable table;
  table.columns = {"category", "predicted B", "measured B", "difference B", "error %"};
  table.right = {false, true, true, true, true};
  CategoryAgreement total;
  const auto add = [&table](std::string_view name, const CategoryAgreement& row) {
    table.rows.push_back(
        {std::string(name), std::to_string(row.predicted), std::to_string(row.measured),
         std::to_string(row.predicted - row.measured), error_percent(row.predicted, row.measured)});
  };
  for (const CategoryAgreement& row : rows) {
    add(memory::category_name(row.category), row);
    total.predicted += row.predicted;
    total.measured += row.measured;
  }
  add("total", total);
  return table;
}

io::TextTable event_text(const memory::LogComparison& comparison, const ComparedLogs& logs,
                         bool all) {
  io::TextTable table{
      .columns = {"step", "phase", "agreement", "predicted event", "predicted", "predicted B",
                  "predicted op", "predicted module", "measured event", "measured", "measured B",
                  "measured op", "measured module", "explanation"},
      .right = {true, false, false, true, false, true, false, false, true, false, true}};
  for (const memory::EventPair& pair : comparison.pairs) {
    if (!all && pair.agreement == memory::Agreement::same) continue;
    const bool has_measured = pair.measured != memory::kNone;
    const memory::PhaseSpan* const phase = has_measured ? phase_of(logs.measured, pair.measured)
                                                        : phase_of(logs.predicted, pair.predicted);
    std::vector<std::string> row;
    row.push_back(phase != nullptr && phase->step >= 0 ? std::to_string(phase->step + 1) : "");
    row.emplace_back(phase != nullptr ? base::phase_name(phase->phase) : "");
    row.emplace_back(to_string(pair.agreement));
    add_side(row, logs.predicted, pair.predicted, logs.strings);
    add_side(row, logs.measured, pair.measured, logs.strings);
    row.emplace_back(to_string(pair.explanation));
    table.rows.push_back(std::move(row));
  }
  return table;
}

const char* to_string(memory::Agreement value) {
  constexpr std::array kNames = {"same", "changed", "only_predicted", "only_measured"};
  return kNames[static_cast<std::size_t>(value)];
}

const char* to_string(memory::Explanation value) {
  constexpr std::array kNames = {"", "thread_scratch", "cast_order"};
  return kNames[static_cast<std::size_t>(value)];
}

const memory::PhaseSpan* phase_of(const AllocationLog& log, EventIndex event) {
  const auto phases = log.phases();
  const auto after = std::upper_bound(
      phases.begin(), phases.end(), event,
      [](EventIndex value, const memory::PhaseSpan& span) { return value < span.first_event; });
  if (after == phases.begin()) return nullptr;
  const memory::PhaseSpan& span = *(after - 1);
  return event < span.end_event ? &span : nullptr;
}

}  // namespace ts::report
