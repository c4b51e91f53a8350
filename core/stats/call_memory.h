#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/memory/allocation_log.h"
#include "core/stats/operator_calls.h"

namespace ts::stats {

// Bytes of the blocks that each call allocated itself, in the order of the calls: a block belongs
// to the innermost call with its operator's name that was open when it was allocated. Blocks
// without such a call are left out. O(n log n).
std::vector<std::int64_t> bytes_of_calls(std::span<const OperatorCall> calls,
                                         const memory::AllocationLog& memory);

}  // namespace ts::stats
