#include "core/stats/trace_difference.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/stats/kernel_table.h"
#include "core/stats/operator_calls.h"
#include "core/stats/operator_table.h"

namespace ts::stats {
namespace {

struct Sum {
  std::string_view name = {}, shape = {}, module = {};
  std::int64_t calls = 0;
  std::int64_t ns = 0;
};

std::vector<Sum> kernel_sums(const TraceSide& side) {
  std::vector<Sum> sums;
  const KernelTable table = kernel_table(side.trace, side.launches, side.strings);
  for (const KernelRow& row : table.rows)
    sums.push_back({.name = side.strings.view(row.name), .calls = row.calls, .ns = row.total_ns});
  return sums;
}

// One sum for each call; an overload that calls another counts with that around it.
std::vector<Sum> call_sums(const TraceSide& side) {
  std::vector<Sum> sums;
  const std::vector<OperatorCall> calls = operator_calls(side.trace);
  for (const OperatorCall& call : calls) {
    const OperatorCall* outer = &call;
    while (outer->again) outer = &calls[outer->parent];
    sums.push_back({.name = side.strings.view(outer->slice.name),
                    .shape = side.strings.view(outer->slice.detail),
                    .module = side.strings.view(outer->slice.module),
                    .calls = call.again ? 0 : 1,
                    .ns = call.self_ns});
  }
  return sums;
}

std::vector<Sum> sums_of(const TraceSide& side, DifferenceBy by) {
  if (by == DifferenceBy::kernel) return kernel_sums(side);
  if (by == DifferenceBy::op_and_shape) return call_sums(side);
  const bool modules = by == DifferenceBy::module;
  std::vector<Sum> sums;
  const OperatorTable table = operator_table(side.trace, side.memory, side.strings,
                                             modules ? GroupBy::module : GroupBy::op);
  for (const OperatorRow& row : table.rows) {
    sums.push_back({.name = side.strings.view(row.name),
                    .calls = row.calls,
                    .ns = modules ? row.total_ns : row.self_ns});
  }
  return sums;
}

}  // namespace

const char* to_string(Change change) {
  constexpr std::array kNames = {"gone", "faster", "same", "slower", "new"};
  return kNames[static_cast<std::size_t>(change)];
}

std::optional<double> DifferenceRow::ratio() const {
  if (a_ns <= 0) return std::nullopt;
  return static_cast<double>(b_ns) / static_cast<double>(a_ns);
}

Change change_of(bool in_a, bool in_b, double difference) {
  if (!in_b) return Change::gone;
  if (!in_a) return Change::added;
  if (difference == 0) return Change::same;
  return difference < 0 ? Change::faster : Change::slower;
}

Change DifferenceRow::change() const {
  return change_of(calls_a > 0, calls_b > 0, static_cast<double>(difference_ns()));
}

std::vector<DifferenceRow> difference_of(const TraceSide& a, const TraceSide& b, DifferenceBy by) {
  using Call = std::tuple<std::string_view, std::string_view, std::string_view>;
  std::map<Call, DifferenceRow> rows;
  for (const Sum& one : sums_of(a, by)) {
    DifferenceRow& row = rows[{one.name, one.shape, one.module}];
    row.calls_a += one.calls;
    row.a_ns += one.ns;
  }
  for (const Sum& one : sums_of(b, by)) {
    DifferenceRow& row = rows[{one.name, one.shape, one.module}];
    row.calls_b += one.calls;
    row.b_ns += one.ns;
  }
  std::vector<DifferenceRow> all;
  all.reserve(rows.size());
  for (auto& [key, row] : rows) {
    std::tie(row.name, row.shape, row.module) = key;
    all.push_back(std::move(row));
  }
  std::ranges::stable_sort(all, std::ranges::greater(),
                           [](const DifferenceRow& row) { return std::abs(row.difference_ns()); });
  return all;
}

}  // namespace ts::stats
