#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/string_table.h"
#include "core/trace_file/device_time.h"
#include "core/trace_file/trace_file.h"

namespace ts::trace_file {

// All events of one name.
struct NameTotal {
  base::StringId name = base::kNoString;
  std::int64_t count = 0;
  std::int64_t total_ns = 0;
};

// A step of the profiler. `gpu` tells what the devices of its rank did, in the mean, while it ran
// on the host: work that was launched in it may run later.
struct StepSpan {
  base::StringId name = base::kNoString;  // "ProfilerStep#3"
  std::string rank = {};                  // "rank 1" where traces of ranks became one
  std::int64_t begin_ns = 0;
  std::int64_t duration_ns = 0;
  DeviceTime gpu = {};
  std::int64_t operators = 0;  // that began in it in its process; nested ones count, too
  std::int64_t launches = 0;   // the same for calls that launch kernels or graphs
};

// The work of one device: kernels, copies and fills.
struct DeviceBusy {
  std::int32_t device = 0;
  std::string rank = {};  // "rank 1" where traces of ranks became one
  std::int64_t kernels = 0;
  DeviceTime time = {};  // from the begin of its first work to the end of its last
  [[nodiscard]] std::int64_t busy_ns() const { return time.busy_ns(); }
};

// Where only a part of the file was asked for by its time, `span_ns` and all times but those of
// `kernels`, `operators` and `steps` are times within that part.
struct TraceSummary {
  std::vector<NameTotal> kernels;    // most time first
  std::vector<NameTotal> operators;  // the same; nested operators count in both
  std::vector<StepSpan> steps;       // in their order
  std::vector<DeviceBusy> devices;   // that ran a kernel, by number
  std::int64_t span_ns = 0;          // first begin to last end, of all but the profiler's window
  DeviceTime gpu;                    // the mean of `devices`
  std::int64_t gpu_busy_ns = 0;      // of `gpu`: a kernel, copy or fill ran
  std::uint64_t nameless = 0;        // events whose name had no room in the table of names
  bool by_number = false;            // a part by numbers of events: no share of time is known
  // Collectives are the kernels of NCCL and RCCL, by name. Each device counts for itself, in the
  // mean of all that ran one.
  std::int64_t collective_ns = 0;         // at least one of them ran
  std::int64_t hidden_collective_ns = 0;  // of these, another kernel or a fill ran, too
  // Steps that lie in the part as a whole, and the calls of the host that begin in them and wait
  // for the device, by name.
  std::int64_t whole_steps = 0;   // of all processes
  std::int64_t steps_of_one = 0;  // of the process that has most
  std::int64_t waits_in_steps = 0;
  // Calls of PyTorch's DataLoader, by its annotations, and their time within the steps of their
  // process, whose sum over all processes is `steps_ns`.
  std::int64_t loader_calls = 0;
  std::int64_t loader_in_steps_ns = 0;
  std::int64_t steps_ns = 0;
};

bool is_step(const base::StringTable& strings, const Event& event);

// O(n log n).
TraceSummary summary_of(const TraceFile& file);

}  // namespace ts::trace_file
