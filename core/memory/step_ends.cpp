#include "core/memory/step_ends.h"

#include <cstdint>

namespace ts::memory {

std::vector<EventIndex> step_ends(const AllocationLog& log) {
  std::vector<EventIndex> ends;
  std::int32_t step = -1;
  for (const PhaseSpan& span : log.phases()) {
    if (span.step < 0 || span.step == step) continue;
    if (step >= 0 && span.first_event > 0) ends.push_back(span.first_event - 1);
    step = span.step;
  }
  return ends;
}

}  // namespace ts::memory
