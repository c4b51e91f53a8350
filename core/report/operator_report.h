#pragma once

#include <algorithm>
#include <array>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

#include "core/base/string_table.h"
#include "core/io/text_table.h"
#include "core/run/run.h"
#include "core/stats/operator_table.h"
#include "core/text/column_unit.h"

namespace ts::report {

// A column of the table of operators, in files, in JSON and in the window.
struct OperatorColumn {
  const char* key;      // in JSON
  const char* title;    // in files
  const char* heading;  // in the window: a key of the locale files
  text::ColumnUnit unit = text::ColumnUnit::count;
  double (*number)(const stats::OperatorRow& row) = nullptr;  // null: words
};

// The name of a row is first; its key and title are those of the grouping.
inline constexpr auto kOperatorColumns = std::to_array<OperatorColumn>({
    {"", "", "tables.name"},
    {"calls", "calls", "tables.calls", text::ColumnUnit::count,
     [](const stats::OperatorRow& row) { return static_cast<double>(row.calls); }},
    {"self_ms", "self ms", "tables.self", text::ColumnUnit::time,
     [](const stats::OperatorRow& row) { return static_cast<double>(row.self_ns); }},
    {"share", "self %", "tables.self_share", text::ColumnUnit::share,
     [](const stats::OperatorRow& row) { return row.share; }},
    {"total_ms", "total ms", "tables.total", text::ColumnUnit::time,
     [](const stats::OperatorRow& row) { return static_cast<double>(row.total_ns); }},
    {"total_share", "total %", "tables.total_share", text::ColumnUnit::share,
     [](const stats::OperatorRow& row) { return row.total_share; }},
    {"average_ms", "average ms", "tables.average", text::ColumnUnit::time,
     [](const stats::OperatorRow& row) { return row.average_ns; }},
    {"p50_ms", "P50 ms", "tables.p50", text::ColumnUnit::time,
     [](const stats::OperatorRow& row) { return row.p50_ns; }},
    {"p90_ms", "P90 ms", "tables.p90", text::ColumnUnit::time,
     [](const stats::OperatorRow& row) { return row.p90_ns; }},
    {"gflops_per_s", "GFLOP/s", "tables.rate", text::ColumnUnit::flop_rate,
     [](const stats::OperatorRow& row) { return row.flops_per_s(); }},
    {"bytes_given", "bytes given", "tables.given", text::ColumnUnit::given_bytes,
     [](const stats::OperatorRow& row) { return row.bytes_given; }},
    {"bytes_allocated", "bytes allocated", "tables.bytes", text::ColumnUnit::bytes,
     [](const stats::OperatorRow& row) { return static_cast<double>(row.bytes_allocated); }},
    {"shapes", "shapes", "tables.shapes", text::ColumnUnit::count,
     [](const stats::OperatorRow& row) { return static_cast<double>(row.shapes); }},
    {"shape", "most frequent shape", "tables.shape"},
});

inline constexpr std::size_t kNameColumn = 0;
inline bool names_the_row(const OperatorColumn& column) {
  return &column == &kOperatorColumns[kNameColumn];
}
// The place of the column with this key.
constexpr std::size_t operator_column(std::string_view key) {
  return static_cast<std::size_t>(std::ranges::find(kOperatorColumns, key, &OperatorColumn::key) -
                                  kOperatorColumns.begin());
}

// The one that the window sorts by at first.
inline constexpr std::size_t kSelfTimeColumn = operator_column("self_ms");
static_assert(kSelfTimeColumn < kOperatorColumns.size());

// The recorded operators of a run as tables for files. Times in milliseconds, sizes in bytes. By
// stack with the phase and the stack of each row, "blocks.*.attn;aten::linear;aten::addmm".
io::TextTable operator_text(const stats::OperatorTable& table, const base::StringTable& strings);
// The lines of a table by stack: "forward;blocks.*.attn;aten::linear;aten::addmm 1234", the self
// time in microseconds, the input format of flame graph tools.
std::string folded_stacks(const stats::OperatorTable& table);
// Matmul, attention, softmax, ...: a row for each phase, shares of its time in percent.
io::TextTable share_text(std::span<const stats::ClassShares> phases);

// operators.md: by operator, by module, by stack, by phase, the module tree, and the shares; for a
// GPU also its kernels (kernel_report.h). It begins with the number of recorded steps.
std::string operators_markdown(const run::Run& run, const base::StringTable& strings);

// {steps, operators_ms, by_operator: [...], by_module: [...], by_stack: [...], by_phase: [...],
// self_ms_by_class: {...}, tree: [...]}.
nlohmann::json operators_json(const run::Run& run, const base::StringTable& strings);

}  // namespace ts::report
