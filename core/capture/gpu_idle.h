#pragma once

#include <cstdint>
#include <vector>

#include "core/trace/idle_cause.h"

namespace ts::capture {

using trace::IdleCause;

// A kernel, copy or fill that ran on a device; times in nanoseconds of one clock.
struct DeviceInterval {
  std::uint32_t device = 0;
  std::uint32_t correlation = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};
// A call of the host.
struct HostCall {
  enum class Kind : std::uint8_t { launch, wait, copy };
  Kind kind = Kind::launch;
  std::uint32_t correlation = 0;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t process = 0;  // any number
};

struct IdleSpan {
  std::uint32_t device = 0;
  IdleCause cause = IdleCause::unknown;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

// The times between the first and the last work of a device in which none ran, ordered by device
// and begin. A gap has one cause, given by the work at its end. A gap in which a recording began is
// left out: its beginning is not known. Calls by correlation: the first call of each number made
// the launch or the copy. Waits and copies of another process than that of the launch are no cause.
// O(n log n).
std::vector<IdleSpan> idle_spans(std::vector<DeviceInterval> work,
                                 const std::vector<HostCall>& calls,
                                 const std::vector<std::int64_t>& recordings_began);

}  // namespace ts::capture
