#pragma once

#include <array>
#include <cstdint>

#include "core/base/string_table.h"

namespace ts::capture {

// Events of the GPU and the CUDA API, as plain records: CUPTI's records without their versions and
// layouts. Times are of base::now_ns().
enum class GpuKind : std::uint8_t {
  kernel,       // on a stream
  copy,         // on a stream
  fill,         // on a stream (memset)
  call,         // of the CUDA runtime or driver, on a host thread
  correlation,  // the operator that was open when the call with this number was made
  overhead,     // cost of the recording itself
  wait,         // the host, or a stream, waited for an event on the device
  mark,         // NVTX: an instant; a range is two records with the same number
  mark_begin,
  mark_end,
  began,  // start of a recording, at begin_ns
};

struct GpuRecord {
  GpuKind kind = GpuKind::kernel;
  // Shared by a call and everything that it started. A graph launch shares one among all its
  // kernels. For a mark: the range.
  std::uint32_t correlation = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;  // either 0: the device had no room for the times, or it had not ended
  base::StringId name = base::kNoString;
  base::StringId op = base::kNoString;      // correlation
  base::StringId module = base::kNoString;  // correlation
  std::uint32_t device = 0;
  std::uint32_t stream = 0;
  std::uint32_t thread = 0;   // call, mark
  std::uint32_t process = 0;  // call: any number; a recording of ours is of one process
  std::int64_t bytes = 0;     // copy, fill
  // Kernels only.
  std::array<std::int32_t, 3> grid{};
  std::array<std::int32_t, 3> block{};
  std::int32_t registers = 0;      // per thread
  std::int64_t shared_memory = 0;  // bytes per block, static and dynamic
  std::uint32_t graph = 0;         // the CUDA graph it is a node of, 0 none
  std::uint64_t graph_node = 0;
};

// The number that travels with a launch and identifies its operator and module. It contains both
// names, so a kernel does not need the record of its operator, which may arrive later.
constexpr std::uint64_t correlation_id(base::StringId op, base::StringId module) {
  return (std::uint64_t{module} << 32U) | op;
}
constexpr base::StringId op_of(std::uint64_t id) {
  return static_cast<base::StringId>(id);
}
constexpr base::StringId module_of(std::uint64_t id) {
  return static_cast<base::StringId>(id >> 32U);
}

}  // namespace ts::capture
