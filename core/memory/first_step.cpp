#include "core/memory/first_step.h"

#include <algorithm>

namespace ts::memory {

std::optional<FirstStep> first_step(const AllocationLog& log) {
  std::int32_t first = -1;
  for (const PhaseSpan& span : log.phases()) {
    if (span.step < 0) continue;
    if (first < 0) first = span.step;
    if (span.step == first) continue;
    FirstStep step;
    step.end = span.first_event;
    for (const Event& event : log.events().first(step.end)) {
      step.bytes = std::max(step.bytes, event.total_after);
    }
    return step.bytes < log.peak_bytes() ? std::optional(step) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace ts::memory
