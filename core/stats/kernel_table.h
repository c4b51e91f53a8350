#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/string_table.h"
#include "core/trace/idle_cause.h"
#include "core/trace/kernel_class.h"
#include "core/trace/kernel_launch.h"
#include "core/trace/trace_store.h"

namespace ts::stats {

// All launches of one kernel in recorded steps. Times in nanoseconds.
struct KernelRow {
  base::StringId name = base::kNoString;
  trace::SliceClass slice_class = trace::SliceClass::other;
  trace::TensorCores tensor_cores = trace::TensorCores::unknown;
  std::int64_t calls = 0;
  std::int64_t total_ns = 0;
  double share = 0;  // of the time of all kernels, 0 to 1
  double average_ns = 0;
  double p50_ns = 0;
  double p90_ns = 0;
  trace::KernelLaunch launch;  // the most frequent one
  std::int64_t launches = 0;   // how many different ones
  // For the operators that launched it, each call counted once: FLOPs by the shapes of their inputs
  // (operator_flops.h), and the bytes of those inputs. They belong to the operator, not to this
  // kernel alone: an operator may launch several kernels. 0: not known.
  double op_flops = 0;
  double op_input_bytes = 0;
};

// Activity of one GPU in the recorded steps, with the words of trace_file/device_time.h: busy_ns
// and the idle times of a recording add up to span_ns.
struct DeviceUse {
  std::int16_t device = 0;
  std::int64_t kernels = 0;
  std::int64_t span_ns = 0;    // first work to the end of the last, of each step, summed up
  std::int64_t busy_ns = 0;    // at least one kernel, copy or fill ran
  std::int64_t kernel_ns = 0;  // sum of all kernels
  std::int64_t copy_ns = 0;    // sum of copies and fills
  std::array<std::int64_t, trace::kIdleCauseCount> idle_ns{};  // gaps inside the spans
  std::int64_t tensor_core_ns = 0;  // of kernel_ns, by the names that tell it
  // Number of launches that were made but not yet started, over the time of the span: mean and
  // maximum. A graph launch counts as one.
  double queue_mean = 0;
  std::int64_t queue_most = 0;
};

struct KernelTable {
  std::vector<KernelRow> rows;     // most time first
  std::vector<DeviceUse> devices;  // by number
  std::int64_t kernel_ns = 0;      // of all rows
  std::int64_t steps = 0;          // recorded
};

// From the GPU tracks of a trace; set-up is left out. With a range what begins in it, whole.
// O(n log n).
KernelTable kernel_table(const trace::TraceStore& trace, const trace::KernelLaunches& launches,
                         const base::StringTable& strings,
                         std::optional<base::TimeRange> range = {});

}  // namespace ts::stats
