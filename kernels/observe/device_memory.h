#pragma once

#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>

#include "kernels/observe/recording.h"

namespace ts::kernels {

// While the guard lives, every block the allocator of the recording's device hands out or takes
// back on this thread, and on autograd threads working for it, is recorded. Sizes are the
// allocator's rounded block sizes. For devices other than cpu, whose allocator is our own.
std::unique_ptr<c10::DebugInfoGuard> report_device_memory(Recording& recording);

}  // namespace ts::kernels
