#pragma once

#include <vector>

#include "core/base/phase.h"
#include "core/trace/trace_store.h"

namespace ts::stats {

// One slice of an operator with what lies inside it taken off. Private to the operator table.
struct OperatorCall {
  trace::Slice slice;
  std::int64_t self_ns = 0;
  base::Phase phase = base::Phase::idle;
  std::uint32_t parent = kNoParent;  // the operator it lies in, an earlier call
  // The only operator inside one of the same name: an overload that calls another. As
  // torch.profiler does, both are taken for one call.
  bool again = false;
  static constexpr std::uint32_t kNoParent = 0xFFFFFFFFU;
};

// All operators of recorded steps; those of one track follow each other, parents first.
std::vector<OperatorCall> operator_calls(const trace::TraceStore& trace);

// All kernels, copies and fills on the streams of a GPU in recorded steps; none lies in another.
std::vector<OperatorCall> kernel_calls(const trace::TraceStore& trace);

// How many recorded steps there are.
std::int64_t step_count(const trace::TraceStore& trace);

}  // namespace ts::stats
