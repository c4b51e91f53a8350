#pragma once

#include "app/commands/command_line.h"

namespace ts::app {

// tensorscope ab: times A and B by turns on the calling thread and says which is faster, as
// text or as one JSON document. Returns the exit code: 0 ok, 1 one of them failed or ran out of
// memory, 2 bad input.
int compare_workloads(const AbCommand& command);

}  // namespace ts::app
