#include "views/tables/operator_rows.h"

#include <algorithm>

#include "core/base/letters.h"
#include "core/text/numbers.h"
#include "views/charts/labels.h"

namespace ts::views {
namespace {

double value_of(const stats::OperatorRow& row, OperatorColumn column) {
  switch (column) {
    case OperatorColumn::calls:
      return static_cast<double>(row.calls);
    case OperatorColumn::self:
      return static_cast<double>(row.self_ns);
    case OperatorColumn::share:
      return row.share;
    case OperatorColumn::total:
      return static_cast<double>(row.total_ns);
    case OperatorColumn::average:
      return row.average_ns;
    case OperatorColumn::p50:
      return row.p50_ns;
    case OperatorColumn::p90:
      return row.p90_ns;
    case OperatorColumn::total_share:
      return row.total_share;
    case OperatorColumn::flops:
      return row.flops_per_s();
    case OperatorColumn::given:
      return row.bytes_given;
    case OperatorColumn::bytes:
      return static_cast<double>(row.bytes_allocated);
    case OperatorColumn::shapes:
      return static_cast<double>(row.shapes);
    case OperatorColumn::name:
    case OperatorColumn::shape:
      break;
  }
  return 0;
}

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
                                      std::string_view filter, OperatorColumn by, bool descending) {
  std::vector<std::uint32_t> rows;
  std::vector<std::string> names(table.rows.size());
  for (std::uint32_t i = 0; i < table.rows.size(); ++i) {
    names[i] = row_name(table, table.rows[i], strings, texts);
    if (base::contains_letters(names[i], filter)) rows.push_back(i);
  }
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (by == OperatorColumn::name) return names[a] < names[b];
    if (by == OperatorColumn::shape) {
      return strings.view(table.rows[a].shape) < strings.view(table.rows[b].shape);
    }
    return value_of(table.rows[a], by) < value_of(table.rows[b], by);
  };
  std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    return descending ? before(b, a) : before(a, b);
  });
  return rows;
}

std::string operator_cell(const stats::OperatorTable& table, const stats::OperatorRow& row,
                          OperatorColumn column, const base::StringTable& strings) {
  const auto time = [](double ns) { return text::duration_ns(ns).joined(); };
  const auto percent = [](double share) { return text::decimal(share * 100, 1) + " %"; };
  switch (column) {
    case OperatorColumn::calls:
      return text::grouped(row.calls);
    case OperatorColumn::self:
      return time(static_cast<double>(row.self_ns));
    case OperatorColumn::share:
      return percent(row.share);
    case OperatorColumn::total:
      return time(static_cast<double>(row.total_ns));
    case OperatorColumn::total_share:
      return percent(row.total_share);
    case OperatorColumn::average:
      return time(row.average_ns);
    case OperatorColumn::p50:
      return time(row.p50_ns);
    case OperatorColumn::p90:
      return time(row.p90_ns);
    case OperatorColumn::flops:
      if (row.flops <= 0) return {};
      return row.rate_ns > 0 ? text::rate(row.flops_per_s(), "FLOP").joined() : text::kNoNumber;
    case OperatorColumn::given:
      return row.bytes_given > 0 ? text::bytes(static_cast<std::int64_t>(row.bytes_given)).joined()
                                 : text::kNoNumber;
    case OperatorColumn::bytes:
      return table.knows_memory ? text::bytes(row.bytes_allocated).joined() : text::kNoNumber;
    case OperatorColumn::shapes:
      return text::grouped(row.shapes);
    case OperatorColumn::shape:
      return std::string(strings.view(row.shape));
    case OperatorColumn::name:
      break;
  }
  return {};
}

}  // namespace ts::views
