#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/string_table.h"
#include "core/memory/allocation_log.h"
#include "core/trace/kernel_launch.h"
#include "core/trace/trace_store.h"

namespace ts::stats {

// The items that are compared: kernels by name, operators by name, operators by name, shapes of
// their inputs and module, or modules by path.
enum class DifferenceBy : std::uint8_t { kernel, op, op_and_shape, module };

struct TraceSide {
  const trace::TraceStore& trace;
  const trace::KernelLaunches& launches;
  const memory::AllocationLog& memory;
  const base::StringTable& strings;
};

// How an item of A is in B.
enum class Change : std::uint8_t { gone, faster, same, slower, added };
const char* to_string(Change change);  // gone faster same slower new
// `difference`: B's time less A's.
Change change_of(bool in_a, bool in_b, double difference);

// A name in one of two traces, or in both. Times are sums over all calls: of kernels theirs, of
// operators the self time, of modules with all below them.
struct DifferenceRow {
  std::string name;
  std::string shape;   // with op_and_shape
  std::string module;  // the same, where the trace tells it
  std::int64_t calls_a = 0, calls_b = 0;
  std::int64_t a_ns = 0, b_ns = 0;
  [[nodiscard]] std::int64_t difference_ns() const { return b_ns - a_ns; }
  // B's time over A's; unset where A has none.
  [[nodiscard]] std::optional<double> ratio() const;
  [[nodiscard]] Change change() const;
};

// All names, the largest difference first; names are matched letter by letter. O(n log n).
std::vector<DifferenceRow> difference_of(const TraceSide& a, const TraceSide& b, DifferenceBy by);

}  // namespace ts::stats
