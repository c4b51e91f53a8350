#pragma once

#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>

#include "kernels/observe/recording.h"

namespace ts::kernels {

// While the guard lives, every block the allocator of the recording's device hands out or takes
// back on this thread, and on autograd threads working for it, is recorded. Sizes are the
// allocator's rounded block sizes. For devices other than cpu, whose allocator is our own.
std::unique_ptr<c10::DebugInfoGuard> report_device_memory(Recording& recording);

// The same for the one block of a script that the allocator reports next on this thread; what the
// program itself has there, torch.profiler for one, gets the report, too. Call it when the
// allocator tells its trace of the block, whose size only the report has.
void record_next_report();

}  // namespace ts::kernels
