#pragma once

#include <vector>

#include "core/memory/allocation_log.h"

namespace ts::memory {

// The last event of every step but the last one, which may not be whole.
std::vector<EventIndex> step_ends(const AllocationLog& log);

}  // namespace ts::memory
