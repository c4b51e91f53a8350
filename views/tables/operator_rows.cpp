#include "views/tables/operator_rows.h"

#include <algorithm>

#include "core/base/letters.h"
#include "core/text/numbers.h"
#include "views/charts/labels.h"

namespace ts::views {
namespace {

// "a;b;c": "c < b < a".
std::string innermost_first(std::string_view stack) {
  std::string text;
  while (!stack.empty()) {
    const std::size_t cut = stack.rfind(';');
    const std::size_t begin = cut == stack.npos ? 0 : cut + 1;
    text += (text.empty() ? "" : " < ") + std::string(stack.substr(begin));
    stack = cut == stack.npos ? std::string_view() : stack.substr(0, cut);
  }
  return text;
}

}  // namespace

std::string row_name(const stats::OperatorTable& table, const stats::OperatorRow& row,
                     const base::StringTable& strings, const text::Texts& texts) {
  if (table.group == stats::GroupBy::phase) return texts(phase_key(row.phase));
  if (table.group == stats::GroupBy::stack) {
    return innermost_first(row.stack) + " < " + texts(phase_key(row.phase));
  }
  const std::string_view name = strings.view(row.name);
  if (name.empty()) return texts("tables.no_module");
  if (table.group != stats::GroupBy::op_and_shape || row.shape == base::kNoString) {
    return std::string(name);
  }
  return std::string(name) + "  " + std::string(strings.view(row.shape));
}

std::vector<std::uint32_t> shown_rows(const stats::OperatorTable& table,
                                      const base::StringTable& strings, const text::Texts& texts,
                                      std::string_view filter, std::size_t by, bool descending) {
  const report::OperatorColumn& column = report::kOperatorColumns[by];
  std::vector<std::uint32_t> rows;
  std::vector<std::string> names(table.rows.size());
  for (std::uint32_t i = 0; i < table.rows.size(); ++i) {
    names[i] = row_name(table, table.rows[i], strings, texts);
    if (base::contains_letters(names[i], filter)) rows.push_back(i);
  }
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (column.number != nullptr)
      return column.number(table.rows[a]) < column.number(table.rows[b]);
    if (report::names_the_row(column)) return names[a] < names[b];
    return strings.view(table.rows[a].shape) < strings.view(table.rows[b].shape);
  };
  std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    return descending ? before(b, a) : before(a, b);
  });
  return rows;
}

std::string shown_number(text::ColumnUnit unit, double number) {
  using text::ColumnUnit;
  switch (unit) {
    case text::ColumnUnit::time:
      return text::duration_ns(number).joined();
    case text::ColumnUnit::share:
      return text::decimal(number * 100, 1) + " %";
    case text::ColumnUnit::flops:
      return number > 0 ? text::decimal(number * 1e-9, 3) + " GFLOP" : text::kNoNumber;
    case text::ColumnUnit::flop_rate:
      return text::rate(number, "FLOP").joined();
    case text::ColumnUnit::given_bytes:
    case text::ColumnUnit::input_bytes:
      if (number <= 0) return text::kNoNumber;
      [[fallthrough]];
    case text::ColumnUnit::bytes:
      return text::bytes(static_cast<std::int64_t>(number)).joined();
    case text::ColumnUnit::count:
      break;
  }
  return text::grouped(static_cast<std::int64_t>(number));
}

std::string operator_cell(const stats::OperatorTable& table, const stats::OperatorRow& row,
                          const report::OperatorColumn& column, const base::StringTable& strings) {
  if (column.number == nullptr) return std::string(strings.view(row.shape));
  if (column.unit == text::ColumnUnit::flop_rate) {
    if (row.flops <= 0) return {};
    if (row.rate_ns <= 0) return text::kNoNumber;
  }
  if (column.unit == text::ColumnUnit::bytes && !table.knows_memory) return text::kNoNumber;
  return shown_number(column.unit, column.number(row));
}

}  // namespace ts::views
