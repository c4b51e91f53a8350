#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/base/phase.h"
#include "core/trace_file/autograd_links.h"
#include "core/trace_file/trace_file.h"

namespace ts::trace_file {

// A stretch of a step. Times are those of the file, in nanoseconds.
struct PhaseSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  base::Phase phase = base::Phase::idle;
  friend bool operator==(const PhaseSpan&, const PhaseSpan&) = default;
};

// The phases of the host in a trace of torch.profiler, by begin, none inside another. They follow
// from ranges with a phase in their name ("## forward ##", "Optimizer.step#SGD.step"), from
// modules, from operators with a backward and from nodes of autograd. Neighbours of one phase that
// are operators become one span. What runs inside a phase and tells another one cuts it, except a
// forward that runs again inside a backward. Empty if nothing names a phase, or if more than one
// process does: their phases may lie at different times. `ends` are autograd_ends(file). O(n log
// n).
std::vector<PhaseSpan> phase_spans(const TraceFile& file, const std::vector<AutogradEnd>& ends);

// The phase that the name of a range tells: "## forward ##", "my_backward",
// "Optimizer.step#Adam.step". Unset for none, and for a name with two of them; a loss beside
// another one ("loss.backward") does not count.
std::optional<base::Phase> phase_of_range(std::string_view name);

}  // namespace ts::trace_file
