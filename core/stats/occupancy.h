#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/trace/kernel_launch.h"

namespace ts::stats {

// The resource that limits how many blocks of a kernel a multiprocessor can hold at once.
enum class OccupancyLimit : std::uint8_t { warps, blocks, registers, shared_memory };
const char* to_string(OccupancyLimit limit);  // "shared_memory"

struct Occupancy {
  std::int32_t blocks = 0;  // per multiprocessor, at most
  double share = 0;         // of the warps that the multiprocessor can hold, 0 to 1
  OccupancyLimit limit = OccupancyLimit::warps;
};

// Theoretical occupancy by the limits of a compute capability ("8.6"), as in "Technical
// Specifications per Compute Capability" of the CUDA C++ Programming Guide: warps, blocks,
// registers (allocated to whole warps in units of 256, in quarters of the multiprocessor) and
// shared memory, with its largest configurable size. Clusters are not considered. Unset for an
// unknown capability, and for a block that no multiprocessor can hold.
std::optional<Occupancy> occupancy(std::string_view compute_capability,
                                   const trace::KernelLaunch& launch);

// Bytes of shared memory that one block can ask for, by the same table: all of the multiprocessor
// less what the driver reserves. Unset for an unknown capability.
std::optional<std::int64_t> largest_shared_block(std::string_view compute_capability);

}  // namespace ts::stats
