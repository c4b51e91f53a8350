#pragma once

#include "app/commands/command_line.h"

namespace ts::app {

// tensorscope run: runs the workload on the worker, prints the verdict (or one JSON document) and
// writes the files of --out. Returns the exit code: 0 ok, 1 failed or out of memory, 2 bad input.
int run_workload(const RunCommand& command);

}  // namespace ts::app
