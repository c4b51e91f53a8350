#include "views/tables/operator_rows.h"

#include <algorithm>
#include <cctype>

#include "views/charts/labels.h"

namespace ts::views {
namespace {

bool contains(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) ==
           std::tolower(static_cast<unsigned char>(b));
  };
  return std::ranges::search(text, part, same).begin() != text.end() || part.empty();
}

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
    case OperatorColumn::bytes:
      return static_cast<double>(row.bytes_allocated);
    case OperatorColumn::shapes:
      return static_cast<double>(row.shapes);
    case OperatorColumn::name:
      break;
  }
  return 0;
}

}  // namespace

std::string row_name(const stats::OperatorTable& table, const stats::OperatorRow& row,
                     const base::StringTable& strings, const text::Texts& texts) {
  if (table.group == stats::GroupBy::phase) return texts(phase_key(row.phase));
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
    if (contains(names[i], filter)) rows.push_back(i);
  }
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    if (by == OperatorColumn::name) return names[a] < names[b];
    return value_of(table.rows[a], by) < value_of(table.rows[b], by);
  };
  std::ranges::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    return descending ? before(b, a) : before(a, b);
  });
  return rows;
}

}  // namespace ts::views
