#include "core/stats/kernel_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/stats/operator_flops.h"
#include "core/stats/quantiles.h"
#include "core/stats/queue_depth.h"
#include "core/trace/each_slice.h"

namespace ts::stats {
namespace {

using trace::SliceRef;
using trace::TrackKind;

struct Interval {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// A slice of a GPU track, in a recorded step.
struct PlacedKernel {
  SliceRef ref;
  trace::Slice slice;
  std::size_t step = 0;
};

class KernelTableBuilder {
 public:
  KernelTableBuilder(const trace::TraceStore& trace, const trace::KernelLaunches& launches,
                     const base::StringTable& strings, std::optional<base::TimeRange> range)
      : trace_(trace), launches_(launches), strings_(strings), range_(range) {
    for_each_slice(trace_, TrackKind::phases, [&](SliceRef, const trace::Slice& slice) {
      if (slice.slice_class == trace::SliceClass::step)
        steps_.push_back({slice.begin_ns, slice.end_ns()});
    });
    std::ranges::sort(steps_, {}, &Interval::begin_ns);
  }

  KernelTable build() {
    KernelTable table;
    table.steps = std::ssize(steps_);
    std::map<std::int16_t, std::vector<PlacedKernel>> work;  // by device
    for_each_slice(trace_, TrackKind::gpu_stream, [&](SliceRef ref, const trace::Slice& slice) {
      if (const auto step = step_of(slice.begin_ns))
        work[trace_.tracks()[ref.track].device].push_back({ref, slice, *step});
    });
    std::unordered_map<base::StringId, Gathered> kernels;
    for (auto& [device, placed] : work) {
      std::ranges::sort(placed, {}, [](const PlacedKernel& one) { return one.slice.begin_ns; });
      table.devices.push_back(use_of(device, placed));
      for (const PlacedKernel& one : placed) {
        if (is_kernel(one.slice)) gather(kernels[one.slice.name], one);
      }
    }
    for (auto& [name, gathered] : kernels) table.rows.push_back(row_of(name, gathered));
    for (const KernelRow& row : table.rows) table.kernel_ns += row.total_ns;
    for (KernelRow& row : table.rows) {
      row.share = static_cast<double>(row.total_ns) /
                  static_cast<double>(std::max<std::int64_t>(table.kernel_ns, 1));
    }
    std::ranges::sort(table.rows, [&](const KernelRow& a, const KernelRow& b) {
      return a.total_ns != b.total_ns ? a.total_ns > b.total_ns
                                      : strings_.view(a.name) < strings_.view(b.name);
    });
    return table;
  }

 private:
  struct Gathered {
    std::vector<double> durations;
    std::map<base::StringId, std::int64_t> launches;  // calls by detail
    std::set<std::tuple<trace::TrackId, std::uint16_t, std::uint32_t>> operators;
    double op_flops = 0;
    double op_input_bytes = 0;
  };

  // Unset also outside the range.
  std::optional<std::size_t> step_of(std::int64_t time_ns) const {
    if (range_ && (time_ns < range_->begin || time_ns >= range_->end)) return std::nullopt;
    const auto after = std::ranges::upper_bound(steps_, time_ns, {}, &Interval::begin_ns);
    if (after == steps_.begin() || time_ns >= std::prev(after)->end_ns) return std::nullopt;
    return static_cast<std::size_t>(std::prev(after) - steps_.begin());
  }

  // Copies and fills have no launch of a kernel.
  bool is_kernel(const trace::Slice& slice) const { return launches_.contains(slice.detail); }

  void gather(Gathered& into, const PlacedKernel& one) const {
    into.durations.push_back(static_cast<double>(one.slice.duration_ns));
    ++into.launches[one.slice.detail];
    const auto op = operator_of(one);
    if (!op || !into.operators.emplace(op->track, op->depth, op->index).second) return;
    const trace::Slice slice = trace_.slice(*op);
    const std::string_view shapes = strings_.view(slice.detail);
    into.op_flops += operator_flops(strings_.view(slice.name), shapes);
    into.op_input_bytes += input_bytes(shapes);
  }

  // The innermost call of its operator that was open at its launch.
  std::optional<SliceRef> operator_of(const PlacedKernel& one) const {
    const base::StringId op = launches_.at(one.slice.detail).op;
    const auto call = trace_.flow_partner(one.ref);
    if (op == base::kNoString || !call) return std::nullopt;
    const std::int64_t time = trace_.slice(*call).begin_ns;
    for (std::size_t t = 0; t < trace_.tracks().size(); ++t) {
      const TrackKind kind = trace_.tracks()[t].kind;
      if (kind != TrackKind::cpu_thread && kind != TrackKind::autograd_thread) continue;
      const auto track = static_cast<trace::TrackId>(t);
      for (std::uint16_t depth = trace_.depth_count(track); depth-- > 0;) {
        const auto found = trace_.slice_at(track, depth, time);
        if (found && trace_.slice(*found).name == op) return found;
      }
    }
    return std::nullopt;
  }

  KernelRow row_of(base::StringId name, Gathered& gathered) const {
    KernelRow row;
    row.name = name;
    row.slice_class = trace::classify_kernel(strings_.view(name));
    row.tensor_cores = trace::tensor_cores_of(strings_.view(name));
    row.calls = std::ssize(gathered.durations);
    std::ranges::sort(gathered.durations);
    double sum = 0;
    for (const double duration : gathered.durations) sum += duration;
    row.total_ns = static_cast<std::int64_t>(sum);
    row.average_ns = sum / static_cast<double>(row.calls);
    row.p50_ns = quantile_sorted(gathered.durations, 0.5);
    row.p90_ns = quantile_sorted(gathered.durations, 0.9);
    row.launches = std::ssize(gathered.launches);
    const auto most = std::ranges::max_element(gathered.launches, {},
                                               [](const auto& launch) { return launch.second; });
    row.launch = launches_.at(most->first);
    row.op_flops = gathered.op_flops;
    row.op_input_bytes = gathered.op_input_bytes;
    return row;
  }

  // `placed` in the order of begin.
  DeviceUse use_of(std::int16_t device, const std::vector<PlacedKernel>& placed) const {
    DeviceUse use;
    use.device = device;
    std::vector<Interval> spans(steps_.size(), Interval{0, -1});
    std::int64_t covered_until = 0;
    for (const PlacedKernel& one : placed) {
      const std::int64_t begin = std::max(one.slice.begin_ns, covered_until);
      covered_until = std::max(covered_until, one.slice.end_ns());
      use.busy_ns += std::max<std::int64_t>(0, one.slice.end_ns() - begin);
      Interval& span = spans[one.step];
      if (span.end_ns < 0) span.begin_ns = begin;  // work of the step before counts there
      span.end_ns = std::max(span.end_ns, covered_until);
      if (!is_kernel(one.slice)) {
        use.copy_ns += one.slice.duration_ns;
        continue;
      }
      ++use.kernels;
      use.kernel_ns += one.slice.duration_ns;
      if (trace::tensor_cores_of(strings_.view(one.slice.name)) == trace::TensorCores::yes)
        use.tensor_core_ns += one.slice.duration_ns;
    }
    std::erase_if(spans, [](const Interval& span) { return span.end_ns < 0; });
    for (const Interval& span : spans) use.span_ns += span.end_ns - span.begin_ns;
    add_idle(use, spans);
    add_queue(use, placed);
    return use;
  }

  // `spans` in their order.
  void add_idle(DeviceUse& use, const std::vector<Interval>& spans) const {
    for_each_slice(trace_, TrackKind::gpu_idle, [&](SliceRef ref, const trace::Slice& slice) {
      if (trace_.tracks()[ref.track].device != use.device) return;
      const auto after = std::ranges::upper_bound(spans, slice.begin_ns, {}, &Interval::begin_ns);
      if (after == spans.begin() || slice.end_ns() > std::prev(after)->end_ns) return;
      for (int i = 0; i < trace::kIdleCauseCount; ++i) {
        if (strings_.view(slice.name) == trace::to_string(static_cast<trace::IdleCause>(i)))
          use.idle_ns[static_cast<std::size_t>(i)] += slice.duration_ns;
      }
    });
  }

  void add_queue(DeviceUse& use, const std::vector<PlacedKernel>& placed) const {
    std::vector<Waited> all;
    double total = 0;
    for (const PlacedKernel& one : placed) {
      const auto found = waited(trace_, one.ref);
      if (!found) continue;
      total += static_cast<double>(found->begin_ns - found->made_ns);
      all.push_back(*found);
    }
    if (use.span_ns > 0) use.queue_mean = total / static_cast<double>(use.span_ns);
    for (const QueuePoint& point : queue_depth(all))
      use.queue_most = std::max(use.queue_most, point.depth);
  }

  const trace::TraceStore& trace_;
  const trace::KernelLaunches& launches_;
  const base::StringTable& strings_;
  std::optional<base::TimeRange> range_;
  std::vector<Interval> steps_;
};

}  // namespace

KernelTable kernel_table(const trace::TraceStore& trace, const trace::KernelLaunches& launches,
                         const base::StringTable& strings, std::optional<base::TimeRange> range) {
  return KernelTableBuilder(trace, launches, strings, range).build();
}

}  // namespace ts::stats
