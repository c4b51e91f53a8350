#pragma once

#include <cstdint>
#include <optional>

#include "core/memory/allocation_log.h"

namespace ts::memory {

// Bytes of activations and temporaries of earlier steps that still live when a step begins, which
// a training loop does not need: outputs, losses and graphs that something still refers to.
struct LeftOver {
  std::int64_t bytes = 0;  // at the beginning of the last step of the log
  // More than at the beginning of the step before; 0 for fewer than three steps, because nothing
  // lies before the first.
  std::int64_t growth = 0;
};
// Unset for fewer than two steps. O(live blocks).
std::optional<LeftOver> left_over(const AllocationLog& log);

}  // namespace ts::memory
