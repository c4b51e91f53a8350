#pragma once

#include <cstdint>
#include <optional>

#include "core/memory/allocation_log.h"

namespace ts::memory {

// The first step of a log that has several. It has no optimizer state in its forward and backward,
// because the optimizer makes it at the end; later steps carry it all the time.
struct FirstStep {
  EventIndex end = 0;      // its last event is the one before
  std::int64_t bytes = 0;  // the most that is live until then
};
// Unset unless a later step reaches a higher peak.
std::optional<FirstStep> first_step(const AllocationLog& log);

}  // namespace ts::memory
