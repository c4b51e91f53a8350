#include "core/report/agreement_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

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

// One side of a pair.
struct EventSide {
  EventIndex number = memory::kNone;
  const memory::Event* event = nullptr;  // null: the other side is alone
  const memory::Block* block = nullptr;  // null: the event has none
};

EventSide side_of(const AllocationLog& log, EventIndex number) {
  if (number == memory::kNone) return {};
  const memory::Event& event = log.events()[number];
  return {number, &event, event.block == memory::kNone ? nullptr : &log.blocks()[event.block]};
}

// Counted from 1.
std::string number_cell(const EventSide& side) {
  return side.event != nullptr ? std::to_string(std::int64_t{side.number} + 1) : std::string();
}
std::string action_cell(const EventSide& side) {
  return side.event != nullptr ? action_name(side.event->action) : "";
}
std::string bytes_cell(const EventSide& side) {
  return side.block != nullptr ? std::to_string(side.block->size) : std::string();
}

struct EventRow {
  const memory::EventPair& pair;
  const memory::PhaseSpan* phase;  // null: outside all phases
  EventSide predicted, measured;
  const base::StringTable& strings;

  [[nodiscard]] std::string op(const EventSide& side) const {
    return side.block != nullptr ? std::string(strings.view(side.block->op)) : std::string();
  }
  [[nodiscard]] std::string module(const EventSide& side) const {
    return side.block != nullptr ? std::string(strings.view(side.block->module)) : std::string();
  }
};

std::string step_cell(const EventRow& row) {
  return row.phase != nullptr && row.phase->step >= 0 ? std::to_string(row.phase->step + 1)
                                                      : std::string();
}
std::string phase_cell(const EventRow& row) {
  return row.phase != nullptr ? std::string(base::phase_name(row.phase->phase)) : std::string();
}

constexpr auto kEventColumns = std::to_array<io::TextColumn<EventRow>>({
    {"step", step_cell, true},
    {"phase", phase_cell},
    {"agreement", [](const EventRow& row) -> std::string { return to_string(row.pair.agreement); }},
    {"predicted event", [](const EventRow& row) { return number_cell(row.predicted); }, true},
    {"predicted", [](const EventRow& row) { return action_cell(row.predicted); }},
    {"predicted B", [](const EventRow& row) { return bytes_cell(row.predicted); }, true},
    {"predicted op", [](const EventRow& row) { return row.op(row.predicted); }},
    {"predicted module", [](const EventRow& row) { return row.module(row.predicted); }},
    {"measured event", [](const EventRow& row) { return number_cell(row.measured); }, true},
    {"measured", [](const EventRow& row) { return action_cell(row.measured); }},
    {"measured B", [](const EventRow& row) { return bytes_cell(row.measured); }, true},
    {"measured op", [](const EventRow& row) { return row.op(row.measured); }},
    {"measured module", [](const EventRow& row) { return row.module(row.measured); }},
    {"explanation",
     [](const EventRow& row) -> std::string { return to_string(row.pair.explanation); }},
});

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
  for (const CategoryColumn& column : kCategoryColumns) {
    table.columns.emplace_back(column.title);
    table.right.push_back(&column != &kCategoryColumns.front());
  }
  CategoryAgreement total;
  const auto add = [&table](std::string_view name, const CategoryAgreement& row) {
    std::vector<std::string> cells;
    for (const CategoryColumn& column : kCategoryColumns) {
      cells.push_back(column.bytes != nullptr ? std::to_string(column.bytes(row))
                      : &column == &kCategoryColumns.front()
                          ? std::string(name)
                          : error_percent(row.predicted, row.measured));
    }
    table.rows.push_back(std::move(cells));
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
  io::TextTable table;
  io::add_columns(table, kEventColumns);
  for (const memory::EventPair& pair : comparison.pairs) {
    if (!all && pair.agreement == memory::Agreement::same) continue;
    const bool has_measured = pair.measured != memory::kNone;
    const memory::PhaseSpan* const phase = has_measured ? phase_of(logs.measured, pair.measured)
                                                        : phase_of(logs.predicted, pair.predicted);
    io::add_cells(table.rows.emplace_back(), kEventColumns,
                  EventRow{.pair = pair,
                           .phase = phase,
                           .predicted = side_of(logs.predicted, pair.predicted),
                           .measured = side_of(logs.measured, pair.measured),
                           .strings = logs.strings});
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
