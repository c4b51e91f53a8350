#include "core/stats/trace_difference.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>
#include <utility>

#include "core/stats/kernel_table.h"
#include "core/stats/operator_table.h"

namespace ts::stats {
namespace {

struct Sum {
  std::string_view name, shape;
  std::int64_t calls = 0;
  std::int64_t ns = 0;
};

GroupBy group_of(DifferenceBy by) {
  if (by == DifferenceBy::module) return GroupBy::module;
  return by == DifferenceBy::op ? GroupBy::op : GroupBy::op_and_shape;
}

std::vector<Sum> sums_of(const TraceSide& side, DifferenceBy by) {
  std::vector<Sum> sums;
  if (by == DifferenceBy::kernel) {
    const KernelTable table = kernel_table(side.trace, side.launches, side.strings);
    for (const KernelRow& row : table.rows)
      sums.push_back({side.strings.view(row.name), {}, row.calls, row.total_ns});
    return sums;
  }
  const OperatorTable table = operator_table(side.trace, side.memory, side.strings, group_of(by));
  for (const OperatorRow& row : table.rows) {
    const bool shapes = by == DifferenceBy::op_and_shape;
    sums.push_back({side.strings.view(row.name),
                    shapes ? side.strings.view(row.shape) : std::string_view(), row.calls,
                    by == DifferenceBy::module ? row.total_ns : row.self_ns});
  }
  return sums;
}

}  // namespace

std::vector<DifferenceRow> difference_of(const TraceSide& a, const TraceSide& b, DifferenceBy by) {
  std::map<std::pair<std::string_view, std::string_view>, DifferenceRow> rows;
  for (const Sum& one : sums_of(a, by)) {
    DifferenceRow& row = rows[{one.name, one.shape}];
    row.calls_a += one.calls;
    row.a_ns += one.ns;
  }
  for (const Sum& one : sums_of(b, by)) {
    DifferenceRow& row = rows[{one.name, one.shape}];
    row.calls_b += one.calls;
    row.b_ns += one.ns;
  }
  std::vector<DifferenceRow> all;
  all.reserve(rows.size());
  for (auto& [key, row] : rows) {
    row.name = key.first;
    row.shape = key.second;
    all.push_back(std::move(row));
  }
  std::ranges::stable_sort(all, std::ranges::greater(),
                           [](const DifferenceRow& row) { return std::abs(row.difference_ns()); });
  return all;
}

}  // namespace ts::stats
