#include "core/memory/before_backward.h"

namespace ts::memory {

std::optional<BeforeBackward> before_backward(const AllocationLog& log) {
  const auto phases = log.phases();
  for (std::size_t i = phases.size(); i-- > 0;) {
    if (phases[i].phase != base::Phase::backward) continue;
    if (phases.back().step > phases[i].step) return std::nullopt;
    const EventIndex first = phases[i].first_event;
    if (first == 0) return BeforeBackward{};
    return BeforeBackward{first - 1, log.events()[first - 1].total_after};
  }
  return std::nullopt;
}

}  // namespace ts::memory
