#include "core/memory/left_over.h"

#include <vector>

namespace ts::memory {
namespace {

std::int64_t left_before(const AllocationLog& log, EventIndex first_event) {
  if (first_event == 0) return 0;
  std::int64_t bytes = 0;
  for (const BlockIndex index : log.live_after(first_event - 1)) {
    const Block& block = log.blocks()[index];
    const bool of_a_step =
        block.category == Category::activation || block.category == Category::temporary;
    if (of_a_step && block.step >= 0) bytes += block.size;
  }
  return bytes;
}

}  // namespace

std::optional<LeftOver> left_over(const AllocationLog& log) {
  std::vector<EventIndex> begins;  // of steps
  std::int32_t step = -1;
  for (const PhaseSpan& span : log.phases()) {
    if (span.step <= step) continue;
    step = span.step;
    begins.push_back(span.first_event);
  }
  if (begins.size() < 2) return std::nullopt;
  const std::int64_t last = left_before(log, begins.back());
  const bool grew = begins.size() > 2;
  return LeftOver{last, grew ? last - left_before(log, begins[begins.size() - 2]) : 0};
}

}  // namespace ts::memory
