#pragma once

#include <cstdint>
#include <vector>

#include "core/base/string_table.h"
#include "core/trace_file/trace_file.h"

namespace ts::trace_file {

// All events of one name.
struct NameTotal {
  base::StringId name = base::kNoString;
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
};

struct StepSpan {
  base::StringId name = base::kNoString;  // "ProfilerStep#3"
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
};

struct TraceSummary {
  std::vector<NameTotal> kernels;    // most time first
  std::vector<NameTotal> operators;  // the same; nested operators count in both
  std::vector<StepSpan> steps;       // in their order
  std::int64_t span_ns = 0;          // first begin to last end
  std::int64_t gpu_busy_ns = 0;      // at least one kernel ran; concurrent kernels count once
  std::uint64_t nameless = 0;        // events whose name had no room in the table of names
  // Collectives are the kernels of NCCL and RCCL, by name. Each device counts for itself, in the
  // mean of all that ran one.
  std::int64_t collective_ns = 0;         // at least one of them ran
  std::int64_t hidden_collective_ns = 0;  // of these, another kernel ran at the same time
  // Calls of the host that wait for the device, by name, that begin in a step.
  std::int64_t waits_in_steps = 0;
  // Calls of PyTorch's DataLoader, by its annotations, and their time within the steps.
  std::int64_t loader_calls = 0;
  std::int64_t loader_in_steps_ns = 0;
};

bool is_step(const base::StringTable& strings, const Event& event);

// O(n log n) for the names, O(n) for the rest.
TraceSummary summary_of(const TraceFile& file);

}  // namespace ts::trace_file
