#pragma once

#include <optional>
#include <vector>

#include "core/base/phase.h"
#include "core/trace/trace_store.h"

namespace ts::stats {

// One slice of an operator, without the time of operators inside it. For the tables of this folder.
struct OperatorCall {
  trace::Slice slice;
  std::int64_t self_ns = 0;
  base::Phase phase = base::Phase::idle;
  std::uint32_t parent = kNoParent;  // the enclosing operator, an earlier call
  // The only operator inside one of the same name: an overload that calls another. Both count as
  // one call, as in torch.profiler.
  bool again = false;
  trace::TrackId track = 0;
  static constexpr std::uint32_t kNoParent = 0xFFFFFFFFU;
};

// All operators of recorded steps; grouped by track, parents first. With a range those that begin
// in it: an operator around them that began before it is not their parent.
std::vector<OperatorCall> operator_calls(const trace::TraceStore& trace,
                                         std::optional<base::TimeRange> range = {});

// All kernels, copies and fills on the streams of a GPU in recorded steps; they do not nest.
std::vector<OperatorCall> kernel_calls(const trace::TraceStore& trace);

// The number of recorded steps.
std::int64_t step_count(const trace::TraceStore& trace);

}  // namespace ts::stats
