#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/string_table.h"
#include "core/memory/allocation_log.h"
#include "core/trace/trace_store.h"

namespace ts::stats {

// A module with everything below it, or, as a leaf, an operator that ran in it. Times in
// nanoseconds and FLOPs are sums over all recorded steps, of the node with everything below it.
struct ModuleNode {
  std::string name;  // last part of the path ("attn"), or the operator's name
  bool is_operator = false;
  std::uint32_t parent = 0;
  std::uint32_t depth = 0;              // 0: the root
  std::vector<std::uint32_t> children;  // most time first
  std::int64_t calls = 0;               // of operators
  std::int64_t forward_ns = 0;          // includes loss
  std::int64_t backward_ns = 0;
  std::int64_t other_ns = 0;  // optimizer, and between phases
  double flops = 0;           // by operator_flops
  std::int64_t parameter_bytes = 0;
  std::int64_t kept_bytes = 0;  // activations (and loss) live when a backward of a step begins
  [[nodiscard]] std::int64_t total_ns() const { return forward_ns + backward_ns + other_ns; }
};

struct ModuleTree {
  std::vector<ModuleNode> nodes;  // the root first, parents before children
  std::int64_t steps = 0;
};

// Built from the operators of recorded steps and the blocks of the log. Time is self time, so that
// parts add up to their whole. Parameters are the blocks that have an owner's name, which is their
// path. Kept activations are those of the last recorded step that has any; all of them if there is
// no backward. O(n log n).
ModuleTree module_tree(const trace::TraceStore& trace, const memory::AllocationLog& memory,
                       const base::StringTable& strings);

}  // namespace ts::stats
