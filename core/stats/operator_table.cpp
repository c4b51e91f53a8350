#include "core/stats/operator_table.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/stats/operator_calls.h"
#include "core/stats/quantiles.h"

namespace ts::stats {
namespace {

// Two texts or a phase, whatever the table groups by.
using Key = std::pair<std::uint32_t, std::uint32_t>;

struct Gathered {
  OperatorRow row;
  std::vector<double> durations;
  std::unordered_map<base::StringId, std::int64_t> shapes;
};

class Builder {
 public:
  Builder(const trace::TraceStore& trace, const base::StringTable& strings, GroupBy group)
      : strings_(strings), group_(group), calls_(operator_calls(trace)) {
    table_.group = group;
    table_.steps = step_count(trace);
  }

  OperatorTable build(const memory::AllocationLog& memory) {
    for (const OperatorCall& call : calls_) add(call);
    for (const memory::Block& block : memory.blocks()) add(block);
    if (group_ == GroupBy::module) add_children();
    finish();
    return std::move(table_);
  }

 private:
  [[nodiscard]] Key key_of(const OperatorCall& call) const;
  [[nodiscard]] bool inside_same_row(const OperatorCall& call, const Key& key) const;
  void add(const OperatorCall& call);
  void add(const memory::Block& block);
  void add_to_phase(const OperatorCall& call);
  void add_children();
  void finish();

  const base::StringTable& strings_;
  GroupBy group_;
  std::vector<OperatorCall> calls_;
  std::map<Key, Gathered> rows_;
  std::map<base::Phase, ClassShares> phases_;
  OperatorTable table_;
};

Key Builder::key_of(const OperatorCall& call) const {
  if (call.again) return key_of(calls_[call.parent]);
  switch (group_) {
    case GroupBy::op:
      return {call.slice.name, 0};
    case GroupBy::op_and_shape:
      return {call.slice.name, call.slice.detail};
    case GroupBy::module:
      return {call.slice.module, 0};
    case GroupBy::phase:
      break;
  }
  return {static_cast<std::uint32_t>(call.phase), 0};
}

bool Builder::inside_same_row(const OperatorCall& call, const Key& key) const {
  for (std::uint32_t at = call.parent; at != OperatorCall::kNoParent; at = calls_[at].parent) {
    if (key_of(calls_[at]) == key) return true;
  }
  return false;
}

void Builder::add(const OperatorCall& call) {
  const Key key = key_of(call);
  Gathered& gathered = rows_[key];
  OperatorRow& row = gathered.row;
  row.self_ns += call.self_ns;
  if (!inside_same_row(call, key)) row.total_ns += call.slice.duration_ns;
  if (!call.again) {
    ++row.calls;
    gathered.durations.push_back(static_cast<double>(call.slice.duration_ns));
    if (call.slice.detail != base::kNoString) ++gathered.shapes[call.slice.detail];
  }
  row.name = group_ == GroupBy::module ? call.slice.module : call.slice.name;
  row.slice_class = call.slice.slice_class;
  row.phase = call.phase;
  table_.operators_ns += call.self_ns;
  add_to_phase(call);
}

void Builder::add_to_phase(const OperatorCall& call) {
  ClassShares& shares = phases_[call.phase];
  shares.phase = call.phase;
  shares.self_ns[static_cast<std::size_t>(call.slice.slice_class)] += call.self_ns;
  shares.total_ns += call.self_ns;
}

// Blocks carry operator, module and phase; the shapes of the call they do not.
void Builder::add(const memory::Block& block) {
  if (block.step < 0) return;
  Key key{static_cast<std::uint32_t>(block.phase), 0};
  if (group_ == GroupBy::op) key.first = block.op;
  if (group_ == GroupBy::module) key.first = block.module;
  if (group_ == GroupBy::op_and_shape) return;
  const auto found = rows_.find(key);
  if (found != rows_.end()) found->second.row.bytes_allocated += block.size;
}

// "blocks" holds "blocks.3" and that "blocks.3.attn": time inside counts for each of them.
void Builder::add_children() {
  std::unordered_map<std::string_view, OperatorRow*> by_path;
  for (auto& [key, gathered] : rows_) {
    by_path[strings_.view(gathered.row.name)] = &gathered.row;
    gathered.row.total_ns = gathered.row.self_ns;
  }
  for (const auto& [key, gathered] : rows_) {
    std::string_view path = strings_.view(gathered.row.name);
    for (auto dot = path.rfind('.'); dot != std::string_view::npos; dot = path.rfind('.')) {
      path = path.substr(0, dot);
      const auto found = by_path.find(path);
      if (found != by_path.end()) found->second->total_ns += gathered.row.self_ns;
    }
  }
}

void Builder::finish() {
  const auto whole = static_cast<double>(std::max<std::int64_t>(table_.operators_ns, 1));
  for (auto& [key, gathered] : rows_) {
    OperatorRow& row = gathered.row;
    if (group_ == GroupBy::module || group_ == GroupBy::phase) {
      row.slice_class = trace::SliceClass::other;  // it has operators of many
    }
    if (group_ == GroupBy::phase) row.name = base::kNoString;
    const bool by_total = group_ == GroupBy::module;
    row.share = static_cast<double>(by_total ? row.total_ns : row.self_ns) / whole;
    std::ranges::sort(gathered.durations);
    row.p50_ns = quantile_sorted(gathered.durations, 0.5);
    row.p90_ns = quantile_sorted(gathered.durations, 0.9);
    double sum = 0;
    for (const double duration : gathered.durations) sum += duration;
    row.average_ns = sum / static_cast<double>(gathered.durations.size());
    row.shapes = static_cast<std::int64_t>(gathered.shapes.size());
    std::int64_t most = 0;
    for (const auto& [shape, count] : gathered.shapes) {
      // Of equally frequent ones the first that was seen, so that the choice is always the same.
      if (count > most || (count == most && shape < row.shape)) {
        most = count;
        row.shape = shape;
      }
    }
    table_.rows.push_back(row);
  }
  std::ranges::stable_sort(table_.rows, std::ranges::greater(), [](const OperatorRow& row) {
    return std::pair(row.self_ns, row.total_ns);
  });
  for (const auto& [phase, shares] : phases_) table_.phases.push_back(shares);
}

}  // namespace

OperatorTable operator_table(const trace::TraceStore& trace, const memory::AllocationLog& memory,
                             const base::StringTable& strings, GroupBy group) {
  return Builder(trace, strings, group).build(memory);
}

}  // namespace ts::stats
