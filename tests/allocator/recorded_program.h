#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/allocator/snapshot_recorder.h"
#include "tests/allocator/random_program.h"

namespace ts::allocator::testing {

// The snapshot of a program on a device, without times, as an allocator with these settings leaves
// it.
inline Snapshot recorded_program(const std::vector<ProgramStep>& program,
                                 const AllocatorSettings& settings,
                                 const CachingAllocator::Device& device) {
  SnapshotRecorder recorder(settings, device);
  std::vector<std::optional<std::uint64_t>> addresses;
  SnapshotRecorder::Mark mark;
  for (const ProgramStep& step : program) {
    mark.stream = step.stream;
    if (step.kind == ProgramStep::Kind::alloc) {
      addresses.push_back(recorder.alloc(step.bytes, mark));
    } else if (step.kind == ProgramStep::Kind::free) {
      if (addresses[step.block]) recorder.free(*addresses[step.block], mark);
    } else {
      recorder.empty_cache(mark);
    }
  }
  return recorder.finish();
}

}  // namespace ts::allocator::testing
