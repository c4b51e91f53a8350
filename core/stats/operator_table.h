#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/phase.h"
#include "core/base/string_table.h"
#include "core/memory/allocation_log.h"
#include "core/trace/slice_class.h"
#include "core/trace/trace_store.h"

namespace ts::stats {

// The key that makes one row.
enum class GroupBy : std::uint8_t {
  op,            // the operator's name
  op_and_shape,  // the same for each combination of input shapes
  module,        // the module path that it ran in
  phase,         // forward, loss, backward, optimizer
  stack,         // the operator with the place in the program that it was called from
};

// One row of a table of operators. Times in nanoseconds, over all recorded steps.
//
// Self time is the time of a slice minus that of the operators directly inside it, so the self
// times of all rows add up to the time of all operators. Total time is that of the slices; a slice
// inside another of the same row counts once. By module, total time is the self time of the module
// with everything below it. If an operator contains only one operator, of the same name, both are
// one call, as in torch.profiler's tables. Quantiles are of the durations of calls (for a module or
// phase: of the operators in it), by stats::quantile_sorted. FLOPs are those of the products in the
// row; bytes are those that its calls got as inputs or allocated. Both include everything below a
// module. For a module or phase a tensor that an operator passes on counts once: the inputs of an
// operator, or, where those that it calls have more in sum, theirs; those of views do not count.
struct OperatorRow {
  base::StringId name = base::kNoString;   // the operator, or module path; none for a phase
  base::StringId shape = base::kNoString;  // with op_and_shape; else the most frequent one
  base::Phase phase = base::Phase::idle;   // with phase
  trace::SliceClass slice_class = trace::SliceClass::other;  // of the operator
  std::int64_t calls = 0;
  std::int64_t self_ns = 0;
  std::int64_t total_ns = 0;
  double share = 0;        // of the self time of all rows, 0 to 1
  double total_share = 0;  // of the same, the total time
  double average_ns = 0;
  double p50_ns = 0;
  double p90_ns = 0;
  std::int64_t shapes = 0;           // how many different ones
  std::int64_t bytes_allocated = 0;  // by this row, over all recorded steps
  double flops = 0;                  // over all recorded steps, by operator_flops
  double bytes_given = 0;            // the same, by input_bytes
  std::int64_t rate_ns = 0;          // the time that flops_per_s() is about; 0: not known
  std::string stack = {};            // with stack: "blocks.*.attn;aten::linear;aten::addmm"
  // Rate over the time of the calls, or, where a GPU was recorded, of what they launched on it: a
  // call returns before its kernels end. 0 for operators without products, and where that time is
  // not known.
  [[nodiscard]] double flops_per_s() const {
    return rate_ns > 0 ? flops / (static_cast<double>(rate_ns) * 1e-9) : 0;
  }
};

// Self time by class of operator, or of GPU work, in one phase.
struct ClassShares {
  base::Phase phase = base::Phase::idle;
  std::array<std::int64_t, trace::kSliceClassCount> self_ns{};
  std::int64_t total_ns = 0;
};

struct OperatorTable {
  GroupBy group = GroupBy::op;
  std::vector<OperatorRow> rows;    // most self time first
  std::vector<ClassShares> phases;  // those that have operators, in their order
  std::int64_t operators_ns = 0;    // self time of all operators
  std::int64_t steps = 0;           // recorded
  bool knows_memory = false;  // allocations of operators were; else bytes_allocated is not known
};

// From the slices of operators on all threads, in recorded steps (set-up is left out), and the
// blocks that were allocated in them. With a range those that begin in it, whole. O(n log n).
OperatorTable operator_table(const trace::TraceStore& trace, const memory::AllocationLog& memory,
                             const base::StringTable& strings, GroupBy group,
                             std::optional<base::TimeRange> range = {});

// The time of kernels, copies and fills on all streams, in recorded steps; times per kernel are in
// kernel_table.h.
std::vector<ClassShares> kernel_shares(const trace::TraceStore& trace);

}  // namespace ts::stats
