#include "core/report/result_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ts::report {

std::optional<double> largest_of(const run::ExecutionFacts& facts, std::string_view name) {
  std::optional<double> largest;
  for (const run::ResultCurve& curve : facts.curves) {
    if (curve.name != name) continue;
    for (const double y : curve.y) {
      if (std::isfinite(y)) largest = std::max(largest.value_or(y), y);
    }
  }
  return largest;
}

io::TextTable curve_table(const run::ExecutionFacts& facts, const spec::CurveAxes& axes) {
  io::TextTable table;
  if (facts.curves.empty()) return table;
  table.columns = {axes.x};
  for (const run::ResultCurve& curve : facts.curves) table.columns.push_back(curve.name);
  table.right.assign(table.columns.size(), true);
  const std::vector<double>& x = facts.curves.front().x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<std::string> row = {fmt::format("{:.9g}", x[i])};
    for (const run::ResultCurve& curve : facts.curves) {
      const bool known = i < curve.y.size() && std::isfinite(curve.y[i]);
      row.push_back(known ? fmt::format("{:.9g}", curve.y[i]) : std::string());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace ts::report
