#include "core/trace_file/device_time.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace ts::trace_file {
namespace {

constexpr std::array kParts = {&DeviceTime::compute_ns, &DeviceTime::exposed_communication_ns,
                               &DeviceTime::exposed_copy_ns, &DeviceTime::idle_ns};

}  // namespace

DeviceTime& DeviceTime::operator+=(const DeviceTime& other) {
  for (const auto part : kParts) this->*part += other.*part;
  return *this;
}

DeviceTime mean_of(const std::vector<DeviceTime>& all) {
  const auto count = std::max<std::int64_t>(std::ssize(all), 1);
  DeviceTime mean;
  for (const auto part : kParts) {
    std::int64_t rest = 0;
    for (const DeviceTime& one : all) {
      mean.*part += one.*part / count;
      rest += one.*part % count;
    }
    mean.*part += rest / count;
  }
  return mean;
}

DeviceTimeline::DeviceTimeline(const DeviceSpans& work)
    : compute_(merged(work.compute)),
      collectives_(merged(work.collectives)),
      kernels_(united(compute_, collectives_)),
      all_(united(kernels_, merged(work.copies))) {}

DeviceTime DeviceTimeline::whole() const {
  if (all_.empty()) return {};
  return within({all_.front().begin, all_.back().end});
}

DeviceTime DeviceTimeline::within(const Span& span) const {
  DeviceTime time;
  const std::int64_t kernels = length_within(kernels_, span);
  const std::int64_t busy = length_within(all_, span);
  time.compute_ns = length_within(compute_, span);
  time.exposed_communication_ns = kernels - time.compute_ns;
  time.exposed_copy_ns = busy - kernels;
  time.idle_ns = std::max<std::int64_t>(span.end - span.begin, 0) - busy;
  return time;
}

}  // namespace ts::trace_file
