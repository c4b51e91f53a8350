#pragma once

#include "app/commands/command_line.h"

namespace ts::app {

// tensorscope replay: feeds a memory snapshot's allocations and frees through the model of
// PyTorch's caching allocator and reports recorded against simulated. Returns the exit code: 0, or
// 2 for a file that cannot be read or replayed and for wrong options.
int replay_snapshot(const ReplayCommand& command);

}  // namespace ts::app
