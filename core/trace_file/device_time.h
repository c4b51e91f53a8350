#pragma once

#include <cstdint>
#include <vector>

#include "core/trace_file/spans.h"

namespace ts::trace_file {

// A time of one device in four parts that add up to it, in nanoseconds: as TraceLens divides it
// (https://github.com/AMD-AGI/TraceLens, gpu_timeline).
struct DeviceTime {
  std::int64_t compute_ns = 0;                // a kernel or a fill ran
  std::int64_t exposed_communication_ns = 0;  // a collective ran, and nothing of the above
  std::int64_t exposed_copy_ns = 0;           // a copy ran, and nothing of the above
  std::int64_t idle_ns = 0;                   // nothing ran
  [[nodiscard]] std::int64_t busy_ns() const {
    return compute_ns + exposed_communication_ns + exposed_copy_ns;
  }
  DeviceTime& operator+=(const DeviceTime& other);
  friend bool operator==(const DeviceTime&, const DeviceTime&) = default;
};

// The mean of several; all 0 of none. Sums of damaged files have room.
DeviceTime mean_of(const std::vector<DeviceTime>& all);

// The work of one device, by begin.
struct DeviceSpans {
  std::vector<Span> compute;      // kernels but collectives, and fills
  std::vector<Span> collectives;  // kernels of NCCL and RCCL
  std::vector<Span> copies;
};

// Answers how a device spent a time; made once for each device, in O(n).
class DeviceTimeline {
 public:
  explicit DeviceTimeline(const DeviceSpans& work);
  [[nodiscard]] bool empty() const { return all_.empty(); }
  // From the begin of its first work to the end of its last.
  [[nodiscard]] DeviceTime whole() const;
  // O(log n + work in it).
  [[nodiscard]] DeviceTime within(const Span& span) const;
  // While at least one collective ran, and the part of that in which a kernel or a fill ran, too.
  [[nodiscard]] std::int64_t collective_ns() const { return length_of(collectives_); }
  [[nodiscard]] std::int64_t hidden_collective_ns() const {
    return common_time(collectives_, compute_);
  }

 private:
  std::vector<Span> compute_;
  std::vector<Span> collectives_;
  std::vector<Span> kernels_;  // both
  std::vector<Span> all_;      // and copies
};

}  // namespace ts::trace_file
