#include "core/report/operator_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/io/json_values.h"
#include "core/report/kernel_report.h"
#include "core/report/module_report.h"
#include "core/text/numbers.h"

namespace ts::report {
namespace {

using stats::GroupBy;
using stats::OperatorRow;
using stats::OperatorTable;

// The classes of operators: from products to others.
constexpr auto kFirstClass = static_cast<std::size_t>(trace::SliceClass::matmul);
constexpr std::size_t kClasses =
    static_cast<std::size_t>(trace::SliceClass::other) + 1 - kFirstClass;
constexpr std::span kClassNames =
    std::span(trace::kSliceClassNames).subspan<kFirstClass, kClasses>();

std::string row_name(const OperatorTable& table, const OperatorRow& row,
                     const base::StringTable& strings) {
  if (table.group == GroupBy::phase) return std::string(base::phase_name(row.phase));
  const std::string_view name = strings.view(row.name);
  // Operators outside every module have no name.
  return name.empty() ? "(none)" : std::string(name);
}

const char* title_of(GroupBy group) {
  switch (group) {
    case GroupBy::module:
      return "module";
    case GroupBy::phase:
      return "phase";
    default:
      return "operator";
  }
}

OperatorTable table_of(const run::Run& run, const base::StringTable& strings, GroupBy group) {
  return stats::operator_table(run.trace, run.memory, strings, group);
}

std::string text_of(const OperatorColumn& column, const OperatorTable& table,
                    const OperatorRow& row, const base::StringTable& strings) {
  if (names_the_row(column)) return row_name(table, row, strings);
  return std::string(strings.view(row.shape));
}

// The key of JSON, or the title in files.
const char* name_of(const OperatorColumn& column, const char* OperatorColumn::*name,
                    const OperatorTable& table) {
  return names_the_row(column) ? title_of(table.group) : column.*name;
}

nlohmann::json rows_json(const OperatorTable& table, const base::StringTable& strings) {
  auto rows = nlohmann::json::array();
  for (const OperatorRow& row : table.rows) {
    auto one = nlohmann::json::object();
    for (const OperatorColumn& column : kOperatorColumns) {
      nlohmann::json& cell = one[name_of(column, &OperatorColumn::key, table)];
      if (column.number != nullptr) {
        cell = text::number_in_json(column.unit, column.number(row));
      } else {
        cell = text_of(column, table, row, strings);
      }
    }
    if (table.group == GroupBy::stack) {
      one["phase"] = base::phase_name(row.phase);
      one["stack"] = row.stack;
    }
    rows.push_back(std::move(one));
  }
  return rows;
}

}  // namespace

io::TextTable operator_text(const OperatorTable& table, const base::StringTable& strings) {
  const bool stacks = table.group == GroupBy::stack;
  io::TextTable text;
  for (const OperatorColumn& column : kOperatorColumns) {
    text.columns.emplace_back(name_of(column, &OperatorColumn::title, table));
    text.right.push_back(column.number != nullptr);
  }
  if (stacks) text.columns.insert(text.columns.end(), {"phase", "stack"});
  for (const OperatorRow& row : table.rows) {
    std::vector<std::string> cells;
    for (const OperatorColumn& column : kOperatorColumns) {
      cells.push_back(column.number != nullptr
                          ? text::number_in_files(column.unit, column.number(row))
                          : text_of(column, table, row, strings));
    }
    if (stacks) {
      cells.emplace_back(base::phase_name(row.phase));
      cells.push_back(row.stack);
    }
    text.rows.push_back(std::move(cells));
  }
  return text;
}

std::string folded_stacks(const OperatorTable& table) {
  std::string text;
  for (const OperatorRow& row : table.rows) {
    const std::int64_t microseconds = (row.self_ns + 500) / 1000;
    if (microseconds == 0) continue;
    text += std::string(base::phase_name(row.phase)) + ";" + row.stack + " " +
            std::to_string(microseconds) + "\n";
  }
  return text;
}

io::TextTable share_text(std::span<const stats::ClassShares> phases) {
  io::TextTable text;
  text.columns = {"phase", "self ms"};
  text.right = {false, true};
  for (const char* name : kClassNames) {
    text.columns.push_back(std::string(name) + " %");
    text.right.push_back(true);
  }
  for (const stats::ClassShares& phase : phases) {
    std::vector<std::string> row{std::string(base::phase_name(phase.phase)),
                                 text::fixed(io::milliseconds(phase.total_ns), 4)};
    for (std::size_t i = 0; i < kClassNames.size(); ++i) {
      const auto part = static_cast<double>(phase.self_ns[kFirstClass + i]);
      const auto whole = static_cast<double>(std::max<std::int64_t>(phase.total_ns, 1));
      row.push_back(text::fixed(100 * part / whole, 2));
    }
    text.rows.push_back(std::move(row));
  }
  return text;
}

std::string operators_markdown(const run::Run& run, const base::StringTable& strings) {
  const OperatorTable by_operator = table_of(run, strings, GroupBy::op);
  std::string text = "Operators of " + std::to_string(by_operator.steps) +
                     " recorded steps. Recording costs time: step times are in run.json.\n";
  text += "\n## By operator\n\n" + io::to_markdown(operator_text(by_operator, strings));
  text += "\n## By module\n\nTotal time is with everything inside the module.\n\n" +
          io::to_markdown(operator_text(table_of(run, strings, GroupBy::module), strings));
  text += "\n## By stack\n\nLayers of a list are one place.\n\n" +
          io::to_markdown(operator_text(table_of(run, strings, GroupBy::stack), strings));
  const stats::KernelTable kernels = stats::kernel_table(run.trace, run.launches, strings);
  if (!kernels.rows.empty()) {
    text += "\n## By kernel\n\nOn the GPU's own clock.\n\n" +
            io::to_markdown(kernel_text(kernels, strings, compute_capability(run))) +
            "\n## Share of the time of kernels, copies and fills\n\n" +
            io::to_markdown(share_text(stats::kernel_shares(run.trace)));
  }
  text += "\n## By phase\n\n" +
          io::to_markdown(operator_text(table_of(run, strings, GroupBy::phase), strings));
  text +=
      "\n## Module tree\n\nOf one step; kept bytes are the activations kept for the backward.\n\n" +
      io::to_markdown(
          module_text(stats::module_tree(run.trace, run.memory, strings), run.spec.dtype));
  text += "\n## Share of self time\n\n" + io::to_markdown(share_text(by_operator.phases));
  return text;
}

nlohmann::json operators_json(const run::Run& run, const base::StringTable& strings) {
  const OperatorTable by_operator = table_of(run, strings, GroupBy::op);
  auto shares = nlohmann::json::object();
  for (const stats::ClassShares& phase : by_operator.phases) {
    nlohmann::json parts;
    for (std::size_t i = 0; i < kClassNames.size(); ++i) {
      parts[kClassNames[i]] = io::milliseconds(phase.self_ns[kFirstClass + i]);
    }
    shares[base::phase_name(phase.phase)] = parts;
  }
  return {
      {"steps", by_operator.steps},
      {"operators_ms", io::milliseconds(by_operator.operators_ns)},
      {"by_operator", rows_json(by_operator, strings)},
      {"by_module", rows_json(table_of(run, strings, GroupBy::module), strings)},
      {"by_stack", rows_json(table_of(run, strings, GroupBy::stack), strings)},
      {"by_phase", rows_json(table_of(run, strings, GroupBy::phase), strings)},
      {"self_ms_by_class", shares},
      {"tree", modules_json(stats::module_tree(run.trace, run.memory, strings), run.spec.dtype)}};
}

}  // namespace ts::report
