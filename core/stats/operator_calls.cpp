#include "core/stats/operator_calls.h"

#include <algorithm>

#include "core/trace/each_slice.h"
#include "core/trace/slice_class.h"

namespace ts::stats {
namespace {

using trace::SliceClass;
using trace::TrackKind;

struct PhaseInterval {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  base::Phase phase = base::Phase::idle;
};

std::vector<PhaseInterval> phase_intervals(const trace::TraceStore& trace) {
  std::vector<PhaseInterval> intervals;
  for_each_slice(trace, TrackKind::phases, [&](trace::SliceRef, const trace::Slice& slice) {
    if (const auto phase = phase_of(slice.slice_class)) {
      intervals.push_back({slice.begin_ns, slice.end_ns(), *phase});
    }
  });
  std::ranges::sort(intervals, {}, &PhaseInterval::begin_ns);
  return intervals;
}

base::Phase phase_at(const std::vector<PhaseInterval>& intervals, std::int64_t time_ns) {
  const auto after = std::ranges::upper_bound(intervals, time_ns, {}, &PhaseInterval::begin_ns);
  if (after == intervals.begin()) return base::Phase::idle;
  const PhaseInterval& interval = *(after - 1);
  return time_ns < interval.end_ns ? interval.phase : base::Phase::idle;
}

bool is_operator(SliceClass slice_class) {
  return slice_class > SliceClass::module;
}

struct Placed {
  std::uint16_t depth = 0;
  trace::Slice slice;
};

// Modules and operators of a track nest: a stack of open slices gives the operator around each.
void add_track(std::vector<Placed>& placed, const std::vector<PhaseInterval>& phases,
               std::vector<OperatorCall>& calls) {
  std::ranges::stable_sort(placed, [](const Placed& a, const Placed& b) {
    return a.slice.begin_ns != b.slice.begin_ns ? a.slice.begin_ns < b.slice.begin_ns
                                                : a.depth < b.depth;
  });
  struct Open {
    std::uint16_t depth = 0;
    std::int64_t end_ns = 0;
    std::uint32_t call = OperatorCall::kNoParent;  // the innermost operator so far
  };
  std::vector<Open> open;
  for (const Placed& one : placed) {
    // The depth decides. Times matter only where a slice in between was lost.
    while (!open.empty() &&
           (open.back().depth >= one.depth || open.back().end_ns <= one.slice.begin_ns)) {
      open.pop_back();
    }
    const std::uint32_t around = open.empty() ? OperatorCall::kNoParent : open.back().call;
    std::uint32_t inner = around;
    if (is_operator(one.slice.slice_class)) {
      const base::Phase phase = phase_at(phases, one.slice.begin_ns);
      inner = static_cast<std::uint32_t>(calls.size());
      calls.push_back({one.slice, one.slice.duration_ns, phase, around});
      if (around != OperatorCall::kNoParent) {
        OperatorCall& parent = calls[around];
        const std::int64_t inside =
            std::min(one.slice.end_ns(), parent.slice.end_ns()) - one.slice.begin_ns;
        parent.self_ns -= std::clamp<std::int64_t>(inside, 0, parent.self_ns);
      }
    }
    open.push_back({one.depth, one.slice.end_ns(), inner});
  }
}

}  // namespace

std::vector<OperatorCall> operator_calls(const trace::TraceStore& trace,
                                         std::optional<base::TimeRange> range) {
  const std::vector<PhaseInterval> phases = phase_intervals(trace);
  std::vector<OperatorCall> calls;
  for (trace::TrackId track = 0; track < trace.tracks().size(); ++track) {
    const TrackKind kind = trace.tracks()[track].kind;
    if (kind != TrackKind::cpu_thread && kind != TrackKind::autograd_thread) continue;
    std::vector<Placed> placed;
    for_each_slice(trace, track, [&](trace::SliceRef ref, const trace::Slice& slice) {
      if (range && (slice.begin_ns < range->begin || slice.begin_ns >= range->end)) return;
      if (phase_at(phases, slice.begin_ns) == base::Phase::setup) return;
      placed.push_back({ref.depth, slice});
    });
    const std::size_t first = calls.size();
    add_track(placed, phases, calls);
    for (std::size_t i = first; i < calls.size(); ++i) calls[i].track = track;
  }
  std::vector<std::uint32_t> inside(calls.size(), 0);
  for (const OperatorCall& call : calls) {
    if (call.parent != OperatorCall::kNoParent) ++inside[call.parent];
  }
  for (OperatorCall& call : calls) {
    call.again = call.parent != OperatorCall::kNoParent && inside[call.parent] == 1 &&
                 calls[call.parent].slice.name == call.slice.name;
  }
  return calls;
}

std::vector<OperatorCall> kernel_calls(const trace::TraceStore& trace) {
  const std::vector<PhaseInterval> phases = phase_intervals(trace);
  std::vector<OperatorCall> calls;
  for_each_slice(trace, TrackKind::gpu_stream, [&](trace::SliceRef, const trace::Slice& slice) {
    const base::Phase phase = phase_at(phases, slice.begin_ns);
    if (phase == base::Phase::setup) return;
    calls.push_back({slice, slice.duration_ns, phase});
  });
  return calls;
}

std::int64_t step_count(const trace::TraceStore& trace) {
  std::int64_t steps = 0;
  for_each_slice(trace, TrackKind::phases, [&](trace::SliceRef, const trace::Slice& slice) {
    if (slice.slice_class == SliceClass::step) ++steps;
  });
  return steps;
}

}  // namespace ts::stats
