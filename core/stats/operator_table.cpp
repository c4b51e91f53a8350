#include "core/stats/operator_table.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/stats/call_stacks.h"
#include "core/stats/launched_time.h"
#include "core/stats/operator_calls.h"
#include "core/stats/operator_flops.h"
#include "core/stats/quantiles.h"

namespace ts::stats {
namespace {

// Two texts or a phase, depending on the grouping of the table.
using Key = std::pair<std::uint32_t, std::uint32_t>;

struct Gathered {
  OperatorRow row;
  std::vector<double> durations;
  double timed_flops = 0;  // of calls whose kernels were recorded
  std::unordered_map<base::StringId, std::int64_t> shapes;
};

// Bytes of the blocks that each call allocated itself, in the order of the calls: a block belongs
// to the innermost call with its operator's name that was open when it was allocated. Blocks
// without such a call are left out. O(n log n).
std::vector<std::int64_t> bytes_of_calls(std::span<const OperatorCall> calls,
                                         const memory::AllocationLog& memory) {
  std::vector<std::int64_t> bytes(calls.size(), 0);
  std::unordered_map<base::StringId, std::vector<std::uint32_t>> by_name;
  for (std::uint32_t i = 0; i < calls.size(); ++i) by_name[calls[i].slice.name].push_back(i);
  const auto begin_of = [&](std::uint32_t call) { return calls[call].slice.begin_ns; };
  for (auto& [name, list] : by_name) std::ranges::stable_sort(list, {}, begin_of);
  for (const memory::Block& block : memory.blocks()) {
    if (block.phase == base::Phase::setup) continue;
    const auto found = by_name.find(block.op);
    if (found == by_name.end()) continue;
    const std::int64_t time = memory.events()[block.alloc_event].time_ns;
    // Search backwards from the latest call that had begun; calls of one name overlap on a few
    // threads at most.
    constexpr int kTries = 16;
    auto at = std::ranges::upper_bound(found->second, time, {}, begin_of);
    for (int look = 0; look < kTries && at != found->second.begin(); ++look) {
      --at;
      if (time > calls[*at].slice.end_ns()) continue;
      bytes[*at] += block.size;
      break;
    }
  }
  return bytes;
}

class SharesByPhase {
 public:
  void add(const OperatorCall& call) {
    ClassShares& shares = phases_[call.phase];
    shares.phase = call.phase;
    shares.self_ns[static_cast<std::size_t>(call.slice.slice_class)] += call.self_ns;
    shares.total_ns += call.self_ns;
  }
  std::vector<ClassShares> take() {
    std::vector<ClassShares> all;
    for (const auto& [phase, shares] : phases_) all.push_back(shares);
    return all;
  }

 private:
  std::map<base::Phase, ClassShares> phases_;
};

class OperatorTableBuilder {
 public:
  OperatorTableBuilder(const trace::TraceStore& trace, const base::StringTable& strings,
                       GroupBy group, std::optional<base::TimeRange> range)
      : strings_(strings),
        group_(group),
        calls_(operator_calls(trace, range)),
        launched_(launched_time(trace, calls_)) {
    table_.group = group;
    table_.steps = step_count(trace);
    if (group == GroupBy::stack) stacks_.emplace(calls_, strings);
    if (of_many()) find_readers();
  }

  OperatorTable build(const memory::AllocationLog& memory) {
    table_.knows_memory = std::ranges::any_of(memory.blocks(), [](const memory::Block& block) {
      return block.phase != base::Phase::setup && block.op != base::kNoString;
    });
    const std::vector<std::int64_t> bytes = bytes_of_calls(calls_, memory);
    for (std::uint32_t i = 0; i < calls_.size(); ++i) add(i, bytes[i]);
    scale_rates();
    if (group_ == GroupBy::module) add_children();
    finish();
    return std::move(table_);
  }

 private:
  // Values from the shapes of a call: computed once per operator and shapes, not per call.
  struct Work {
    double flops = 0;
    double bytes = 0;
  };
  // A row has operators of many.
  [[nodiscard]] bool of_many() const {
    return group_ == GroupBy::module || group_ == GroupBy::phase;
  }
  void find_readers();
  [[nodiscard]] Key key_of(std::uint32_t index) const;
  [[nodiscard]] bool inside_same_row(const OperatorCall& call, const Key& key) const;
  const Work& work_of(const trace::Slice& slice);
  void add(std::uint32_t index, std::int64_t bytes_allocated);
  void scale_rates();
  void add_children();
  void finish();

  const base::StringTable& strings_;
  GroupBy group_;
  std::vector<OperatorCall> calls_;
  LaunchedTime launched_;
  std::vector<bool> reads_;  // calls whose inputs count in a row of many operators
  std::optional<CallStacks> stacks_;
  std::map<Key, Work> works_;
  std::map<Key, Gathered> rows_;
  SharesByPhase phases_;
  OperatorTable table_;
};

// Rows of many operators would count a tensor once for each operator that passes it on: of a call
// and what it calls the one counts that takes more, and the call itself where both take the same.
void OperatorTableBuilder::find_readers() {
  std::vector<double> own(calls_.size(), 0);
  std::vector<double> below(calls_.size(), 0);
  reads_.assign(calls_.size(), false);
  // A call stands before those that it calls.
  for (std::size_t i = calls_.size(); i-- > 0;) {
    const OperatorCall& call = calls_[i];
    if (!call.again && !makes_view(strings_.view(call.slice.name)))
      own[i] = work_of(call.slice).bytes;
    if (call.parent != OperatorCall::kNoParent) below[call.parent] += std::max(own[i], below[i]);
  }
  std::vector<bool> inside(calls_.size(), false);  // one that counts
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const std::uint32_t parent = calls_[i].parent;
    inside[i] = parent != OperatorCall::kNoParent && (inside[parent] || reads_[parent]);
    reads_[i] = !inside[i] && own[i] > 0 && own[i] >= below[i];
  }
}

Key OperatorTableBuilder::key_of(std::uint32_t index) const {
  const OperatorCall& call = calls_[index];
  if (call.again) return key_of(call.parent);
  switch (group_) {
    case GroupBy::op:
      return {call.slice.name, 0};
    case GroupBy::op_and_shape:
      return {call.slice.name, call.slice.detail};
    case GroupBy::module:
      return {call.slice.module, 0};
    case GroupBy::stack:
      return {stacks_->of(index), static_cast<std::uint32_t>(call.phase)};
    case GroupBy::phase:
      break;
  }
  return {static_cast<std::uint32_t>(call.phase), 0};
}

bool OperatorTableBuilder::inside_same_row(const OperatorCall& call, const Key& key) const {
  for (std::uint32_t at = call.parent; at != OperatorCall::kNoParent; at = calls_[at].parent) {
    if (key_of(at) == key) return true;
  }
  return false;
}

const OperatorTableBuilder::Work& OperatorTableBuilder::work_of(const trace::Slice& slice) {
  const auto [found, fresh] = works_.try_emplace(Key{slice.name, slice.detail});
  if (fresh) {
    const std::string_view shapes = strings_.view(slice.detail);
    found->second = {operator_flops(strings_.view(slice.name), shapes), input_bytes(shapes)};
  }
  return found->second;
}

void OperatorTableBuilder::add(std::uint32_t index, std::int64_t bytes_allocated) {
  const OperatorCall& call = calls_[index];
  const Key key = key_of(index);
  Gathered& gathered = rows_[key];
  OperatorRow& row = gathered.row;
  row.self_ns += call.self_ns;
  row.bytes_allocated += bytes_allocated;
  if (group_ == GroupBy::module) {
    row.rate_ns += launched_.any_kernel ? launched_.direct_ns[index] : 0;
  } else if (!inside_same_row(call, key)) {
    row.rate_ns += launched_.any_kernel ? launched_.all_ns[index] : call.slice.duration_ns;
  }
  if (!inside_same_row(call, key)) row.total_ns += call.slice.duration_ns;
  if (!call.again) {
    ++row.calls;
    gathered.durations.push_back(static_cast<double>(call.slice.duration_ns));
    if (call.slice.detail != base::kNoString) ++gathered.shapes[call.slice.detail];
    const Work& work = work_of(call.slice);
    row.flops += work.flops;
    if (!launched_.any_kernel || launched_.all_ns[index] > 0) gathered.timed_flops += work.flops;
    if (!of_many() || reads_[index]) row.bytes_given += work.bytes;
    if (stacks_ && row.stack.empty()) row.stack = stacks_->text(stacks_->of(index));
  }
  row.name = group_ == GroupBy::module ? call.slice.module : call.slice.name;
  row.slice_class = call.slice.slice_class;
  row.phase = call.phase;
  table_.operators_ns += call.self_ns;
  phases_.add(call);
}

// A recording may lack the kernels of some calls: those of the others stand for them.
void OperatorTableBuilder::scale_rates() {
  if (!launched_.any_kernel) return;
  for (auto& [key, gathered] : rows_) {
    OperatorRow& row = gathered.row;
    if (row.flops <= 0 || gathered.timed_flops >= row.flops) continue;
    const double share = gathered.timed_flops / row.flops;
    row.rate_ns =
        share <= 0 ? 0 : static_cast<std::int64_t>(static_cast<double>(row.rate_ns) / share);
  }
}

// "blocks" contains "blocks.3", which contains "blocks.3.attn": inner time counts for each of them.
void OperatorTableBuilder::add_children() {
  std::unordered_map<std::string_view, OperatorRow*> by_path;
  std::vector<OperatorRow> own;
  for (auto& [key, gathered] : rows_) {
    by_path[strings_.view(gathered.row.name)] = &gathered.row;
    gathered.row.total_ns = gathered.row.self_ns;
    if (!launched_.any_kernel) gathered.row.rate_ns = gathered.row.self_ns;
    own.push_back(gathered.row);
  }
  for (const OperatorRow& row : own) {
    std::string_view path = strings_.view(row.name);
    for (auto dot = path.rfind('.'); dot != std::string_view::npos; dot = path.rfind('.')) {
      path = path.substr(0, dot);
      const auto found = by_path.find(path);
      if (found == by_path.end()) continue;
      found->second->total_ns += row.self_ns;
      found->second->rate_ns += row.rate_ns;
      found->second->flops += row.flops;
      found->second->bytes_given += row.bytes_given;
      found->second->bytes_allocated += row.bytes_allocated;
    }
  }
}

void OperatorTableBuilder::finish() {
  const auto whole = static_cast<double>(std::max<std::int64_t>(table_.operators_ns, 1));
  for (auto& [key, gathered] : rows_) {
    OperatorRow& row = gathered.row;
    if (of_many()) {
      row.slice_class = trace::SliceClass::other;  // it has operators of many
    }
    if (group_ == GroupBy::phase) row.name = base::kNoString;
    row.share = static_cast<double>(row.self_ns) / whole;
    row.total_share = static_cast<double>(row.total_ns) / whole;
    std::ranges::sort(gathered.durations);
    row.p50_ns = quantile_sorted(gathered.durations, 0.5);
    row.p90_ns = quantile_sorted(gathered.durations, 0.9);
    double sum = 0;
    for (const double duration : gathered.durations) sum += duration;
    row.average_ns = sum / static_cast<double>(gathered.durations.size());
    row.shapes = static_cast<std::int64_t>(gathered.shapes.size());
    std::int64_t most = 0;
    for (const auto& [shape, count] : gathered.shapes) {
      // Among equally frequent ones the first that was interned, so the choice is deterministic.
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
  table_.phases = phases_.take();
}

}  // namespace

std::vector<ClassShares> kernel_shares(const trace::TraceStore& trace) {
  SharesByPhase phases;
  for (const OperatorCall& call : kernel_calls(trace)) phases.add(call);
  return phases.take();
}

OperatorTable operator_table(const trace::TraceStore& trace, const memory::AllocationLog& memory,
                             const base::StringTable& strings, GroupBy group,
                             std::optional<base::TimeRange> range) {
  return OperatorTableBuilder(trace, strings, group, range).build(memory);
}

}  // namespace ts::stats
