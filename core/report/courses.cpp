#include "core/report/courses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ts::report {

std::optional<double> largest_of(const run::ExecutionFacts& facts, std::string_view name) {
  std::optional<double> largest;
  for (const run::Course& course : facts.courses) {
    if (course.name != name) continue;
    for (const double y : course.y) {
      if (std::isfinite(y)) largest = std::max(largest.value_or(y), y);
    }
  }
  return largest;
}

io::TextTable course_table(const run::ExecutionFacts& facts, const spec::CourseAxes& axes) {
  io::TextTable table;
  if (facts.courses.empty()) return table;
  table.columns = {axes.x};
  for (const run::Course& course : facts.courses) table.columns.push_back(course.name);
  table.right.assign(table.columns.size(), true);
  const std::vector<double>& x = facts.courses.front().x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<std::string> row = {fmt::format("{:.9g}", x[i])};
    for (const run::Course& course : facts.courses) {
      const bool known = i < course.y.size() && std::isfinite(course.y[i]);
      row.push_back(known ? fmt::format("{:.9g}", course.y[i]) : std::string());
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace ts::report
